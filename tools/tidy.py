#!/usr/bin/env python3
"""Checks what the compiler does not: layers, sizes, banned calls, banned words.

    tools/tidy.py [ROOT]

Layers: a file in src/FOLDER includes only FOLDER and lower levels; include/evener only the standard
library and itself. Sizes: file 400 lines warns, 600 fails; function 60 warns, 80 fails; a policy's
.cc 200. Banned outside one named place: OS clocks, entropy, threads, mutexes, atomics, sockets,
catching exceptions. Banned everywhere: rand, naked new and delete, [=], throw, sleeping, TODO(now).
A line may say `tidy: allow(new) REASON` (or delete). Prints FILE:LINE: message; exit 1 on a violation.
"""
import os
import re
import sys

LEVELS = {
    "base": 0, "balance": 1, "io": 1, "capi": 2, "tls": 2, "http": 2, "config": 2, "sim": 2, "upstream": 3,
    "proxy": 4, "admin": 5, "service": 6, "lab": 6, "cli": 7,
}
# balance/ and capi/ must know nothing of sockets; config/ does no I/O.
FORBIDDEN_PAIRS = {("balance", "io"), ("config", "io"), ("config", "http"), ("capi", "io")}
# What C calls its standard library, for the C interface.
C_HEADERS = {"stddef.h", "stdint.h"}

FILE_WARN, FILE_FAIL, FUNCTION_WARN, FUNCTION_FAIL, POLICY_FAIL = 400, 600, 60, 80, 200

# what, pattern, places (path prefixes) where it is allowed, whether tests may
BANNED = [
    ("the OS clock", r"\bclock_gettime\b|\bgettimeofday\b|\b(system|steady|high_resolution)_clock\b|\btime\((nullptr|NULL|0)\)",
     ("src/io/socket.cc",), False),
    ("entropy", r"\brandom_device\b|\bgetrandom\b|\bgetentropy\b|/dev/u?random", ("src/cli/entropy.cc",), False),
    ("rand", r"(?<![\w.])s?rand(_r)?\s*\(|\b[dln]rand48\b", (), False),
    ("a thread", r"\bstd::j?thread\b|\bpthread_create\b|\bstd::async\b",
     ("src/io/signals.", "src/service/", "src/lab/parallel."), True),
    ("a mutex", r"\bstd::(recursive_|shared_|timed_)*mutex\b|\bstd::(lock_guard|unique_lock|scoped_lock|shared_lock)\b|\bcondition_variable",
     ("src/io/loop.", "src/lab/parallel.", "bench/peers/"), False),
    ("an atomic", r"\bstd::atomic\b|\b__atomic_|\batomic_thread_fence\b",
     ("src/io/loop.", "include/evener/load_board.h", "src/balance/load_board.cc"), True),
    ("a socket call", r"(?<![\w.>])::(socket|connect|bind|listen|accept4?|recv\w*|send\w*|shutdown|setsockopt|getsockopt)\s*\(",
     ("src/io/",), True),
    ("catching exceptions", r"\bcatch\s*\(|\btry\s*\{", ("src/config/", "src/cli/main.cc", "src/capi/handle.h", "src/lab/scenario/stored_results.cc"), True),
    ("throw", r"\bthrow\b", (), True),
    ("sleeping", r"\bsleep_for\b|\bthis_thread::sleep|\busleep\s*\(|\bnanosleep\b|(?<!\w)::sleep\s*\(", (), False),
    ("[=]", r"\[=[\],]", (), False),
    ("TODO(now)", r"TODO\(now\)|\bFIXME\b", (), False),
]
ALLOW = re.compile(r"tidy: allow\((new|delete)\)")
NEW = re.compile(r"(?<![\w:])new\s+[A-Za-z_:]|(?<![\w:])new\(")
DELETE = re.compile(r"(?<!\w)delete(\[\])?\s+[A-Za-z_*(]")


def strip(text):
    """The code with comments and literals blanked, lines kept, and per line whether it allows new."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)

    def blank(match):
        found = match.group(0)
        # A digit separator is no literal: 10'000.
        if found[0] == "'" and match.start() > 0 and text[match.start() - 1].isalnum():
            return found
        return re.sub(r"[^\n]", " ", found)

    return pattern.sub(blank, text)


def functions(code):
    """(first line, length) of each outermost function body, found by its braces."""
    found, stack, statement, line, start = [], [], "", 1, 1
    inside = None
    for c in code:
        if c == "\n":
            line += 1
        if c == "{":
            head = " ".join(statement.split())
            is_function = (")" in head and not re.match(r"(if|for|while|switch|else|do|namespace)\b", head)
                           and not re.search(r"\b(class|struct|enum|union|namespace)\b[^()]*$", head)
                           and not head.endswith(("=", "return", ",")))
            opens = inside is None and is_function
            if opens:
                inside = len(stack)
            stack.append((opens, start))
            statement = ""
        elif c == "}":
            if stack:
                opens, first = stack.pop()
                if opens:
                    found.append((first, line - first + 1))
                    inside = None
            statement = ""
        elif c == ";":
            statement = ""
        else:
            if not statement.strip() and not c.isspace():
                start = line
            statement += c
    return found


class Tidy:
    def __init__(self, root):
        self.root, self.errors, self.warnings, self.files = root, [], [], 0

    def error(self, path, line, message):
        self.errors.append(f"{path}:{line}: error: {message}")

    def warn(self, path, line, message):
        self.warnings.append(f"{path}:{line}: warning: {message}")

    def layers(self, path, raw):
        parts = path.split("/")
        for number, text in enumerate(raw.split("\n"), 1):
            match = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', text)
            if not match:
                continue
            quoted, target = match.group(1) == '"', match.group(2)
            folder = target.split("/")[0]
            if path == "include/evener/evener.h" and not quoted and target in C_HEADERS:
                continue
            if path.startswith("include/evener/"):
                if quoted or ("/" in target and folder != "evener") or target.endswith(".h") and folder != "evener":
                    self.error(path, number, f"a public header includes only the standard library and <evener/...>, found {target}")
                continue
            if parts[0] != "src" or not quoted or folder == "evener":
                continue
            mine = parts[1]
            if mine not in LEVELS:
                self.error(path, number, f"folder {mine} is not in the level table of tools/tidy.py and design section 2")
                return
            if folder not in LEVELS:
                self.error(path, number, f'expected "FOLDER/file.h" with a folder of src/, found "{target}"')
            elif folder != mine and (LEVELS[folder] >= LEVELS[mine] or (mine, folder) in FORBIDDEN_PAIRS):
                self.error(path, number, f"{mine} (level {LEVELS[mine]}) may not include {folder} (level {LEVELS[folder]})")

    def sizes(self, path, raw, code):
        lines = raw.count("\n")
        test = path.endswith("_test.cc")
        if path.startswith("src/balance/policies/") and lines > POLICY_FAIL and not test:
            self.error(path, 1, f"{lines} lines; a policy has at most {POLICY_FAIL}: split it")
        if lines > FILE_FAIL:
            self.error(path, 1, f"{lines} lines; at most {FILE_FAIL}: give each job its own file")
        elif lines > FILE_WARN:
            self.warn(path, 1, f"{lines} lines; over {FILE_WARN} it is time to split")
        for first, length in functions(code):
            if length > FUNCTION_FAIL:
                self.error(path, first, f"a function of {length} lines; at most {FUNCTION_FAIL}")
            elif length > FUNCTION_WARN:
                self.warn(path, first, f"a function of {length} lines; over {FUNCTION_WARN} it is time to split")

    def banned(self, path, raw, code):
        test = path.endswith("_test.cc") or path.startswith(("tests/", "bench/", "fuzz/"))
        raw_lines = raw.split("\n")
        for number, text in enumerate(code.split("\n"), 1):
            for what, pattern, places, tests_may in BANNED:
                if re.search(pattern, text if what != "TODO(now)" else raw_lines[number - 1]):
                    if not (path.startswith(places) if places else False) and not (test and tests_may):
                        where = f"; it belongs in {', '.join(places)}" if places else ""
                        self.error(path, number, f"{what} is banned here{where}")
            # The formatter may move the comment to the next line.
            allowed = ALLOW.search("\n".join(raw_lines[max(number - 1, 0):number + 1]))
            for what, pattern in (("new", NEW), ("delete", DELETE)):
                if pattern.search(text.replace("= delete", "")) and "operator" not in text:
                    if not (allowed and allowed.group(1) == what):
                        self.error(path, number, f"naked {what}: hold it in a value, or say tidy: allow({what}) and why")

    def check(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as f:
            raw = f.read()
        code = strip(raw)
        self.files += 1
        self.layers(path, raw)
        self.sizes(path, raw, code)
        self.banned(path, raw, code)

    def run(self):
        for top in ("include", "src", "tests", "bench", "fuzz", "examples"):
            for folder, _, names in sorted(os.walk(os.path.join(self.root, top))):
                for name in sorted(names):
                    if name.endswith((".h", ".cc")):
                        self.check(os.path.relpath(os.path.join(folder, name), self.root))


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    tidy = Tidy(root)
    tidy.run()
    for line in tidy.warnings + tidy.errors:
        print(line)
    if tidy.files == 0:
        print(f"tidy: no source files under {root}")
        return 1
    print(f"tidy: {tidy.files} files, {len(tidy.errors)} errors, {len(tidy.warnings)} warnings")
    return 1 if tidy.errors else 0


if __name__ == "__main__":
    sys.exit(main())
