"""The scenarios that come with Evener fit their JSON Schema, and its keys are those the parser knows.

Run by ctest. The parser's keys are read from its sources: a key that only one of the two knows is
an error, whoever it was forgotten by."""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def schema_keys(node):
    if isinstance(node, dict):
        yield from node.get("properties", {})
        for value in node.values():
            yield from schema_keys(value)
    elif isinstance(node, list):
        for value in node:
            yield from schema_keys(value)


def parser_keys():
    for name in ("parse_scenario.cc", "parse_parts.cc", "parse_faults.cc"):
        text = (ROOT / "src/lab/scenario" / name).read_text()
        for table in re.findall(r"constexpr std::array k\w*Keys = \{(.*?)\};", text, re.S):
            yield from re.findall(r'"(\w+)"sv', table)


def main():
    schema = json.loads((ROOT / "scenarios/scenario.schema.json").read_text())
    in_schema, in_parser = set(schema_keys(schema)), set(parser_keys())
    if in_schema != in_parser:
        sys.exit(f"only in the schema: {sorted(in_schema - in_parser)}, "
                 f"only in the parser: {sorted(in_parser - in_schema)}")
    try:
        import jsonschema
        import yaml
    except ImportError:
        print("python3-jsonschema or python3-yaml is missing: keys checked, files not")
        return
    files = sorted((ROOT / "scenarios").glob("*.yaml"))
    for file in files:
        jsonschema.validate(yaml.safe_load(file.read_text()), schema)
    print(f"{len(files)} scenarios fit the schema")


if __name__ == "__main__":
    main()
