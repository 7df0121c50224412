#!/usr/bin/env python3
"""Prints build/bench/balance.json as a comparison: peers' rules beside ours, from one run.

    bench/peers/table.py FILE [--base evener_peak_ewma]

Each cell: median ns per pick and finish over the repetitions [lowest-highest], and its ratio to the
base's median at the same number of endpoints and threads. FILE is what Google Benchmark wrote with
--benchmark_out, the machine-readable form of the same. Exit 1 when it has no peers.
"""
import argparse
import json
import re
import statistics
import sys

NAME = re.compile(r"^peers/(?P<rule>\w+)/(?P<n>\d+)(?:/real_time)?(?:/threads:(?P<threads>\d+))?$")


def samples(report):
    """{(threads, endpoints): {rule: [ns of each repetition]}}, in the file's order."""
    found = {}
    for entry in report["benchmarks"]:
        match = NAME.match(entry["run_name"])
        if not match or entry.get("run_type") != "iteration":
            continue
        threads = int(match["threads"] or 1)
        column = found.setdefault((threads, int(match["n"])), {})
        # Calls per second of all threads together: per call and thread, so what scales is even.
        ns = threads * 1e9 / entry["items_per_second"]
        column.setdefault(match["rule"], []).append(ns)
    return found


def number(ns):
    return f"{ns:.1f}" if ns < 100 else f"{ns:,.0f}"


def cell(values, base):
    median = statistics.median(values)
    text = f"{number(median)} [{number(min(values))}-{number(max(values))}]"
    return text if base is None else f"{text} {median / statistics.median(base):.2f}x"


def lines(found, base):
    columns = sorted(found)
    rules = list(dict.fromkeys(rule for column in found.values() for rule in column))
    rules.sort(key=lambda rule: (rule != base, not rule.startswith("evener_")))
    head = ["rule"] + [f"n={n:,}" + (f", {threads} threads" if threads > 1 else "") for threads, n in columns]
    rows = [head, ["---"] * len(head)]
    for rule in rules:
        row = [rule]
        for key in columns:
            values = found[key].get(rule)
            row.append(cell(values, found[key].get(base)) if values else "-")
        rows.append(row)
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    for row in rows:
        yield "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--base", default="evener_peak_ewma")
    options = parser.parse_args()
    with open(options.file, encoding="utf-8") as f:
        found = samples(json.load(f))
    if not found:
        print(f"{options.file}: no benchmark named peers/RULE/N", file=sys.stderr)
        return 1
    most = max(len(values) for column in found.values() for values in column.values())
    print(f"\nns per pick and finish: median of {most} [lowest-highest], and how many times {options.base}'s")
    print("(two threads: the peers share one balancer; ours have one each, as Evener's workers do)\n")
    for line in lines(found, options.base):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
