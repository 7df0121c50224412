#!/usr/bin/env python3
"""The canary of tidy: a clean tree passes, and each planted violation is found at its line."""
import os
import subprocess
import sys
import tempfile
import unittest

TIDY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tidy.py")
CLEAN = '#include "base/check.h"\n\nnamespace evener {\n\nint one() { return 1; }\n\n}  // namespace evener\n'


def long_function(lines):
    return "int f(int x) {\n" + "  x += 1;\n" * (lines - 2) + "}\n"


# name: (path, text, expected line, expected words)
PLANTED = {
    "layer": ("src/io/a.cc", '\n#include "http/parser.h"\n', 2, "io (level 1) may not include http (level 2)"),
    "same level": ("src/config/a.cc", '#include "http/parser.h"\n', 1, "may not include http"),
    "balance sees io": ("src/balance/a.cc", '#include "io/loop.h"\n', 1, "balance (level 1) may not include io"),
    "unknown folder": ("src/misc/a.cc", '#include "base/check.h"\n', 1, "not in the level table"),
    "no folder": ("src/io/a.cc", '#include "loop.h"\n', 1, "expected \"FOLDER/file.h\""),
    "public header": ("include/evener/a.h", '#include "base/check.h"\n', 1, "a public header includes only"),
    "C interface": ("include/evener/evener.h", '#include <stdio.h>\n', 1, "a public header includes only"),
    "C interface sees io": ("src/capi/a.cc", '#include "io/loop.h"\n', 1, "capi (level 2) may not include io"),
    "file size": ("src/io/a.cc", "int a;\n" * 601, 1, "601 lines; at most 600"),
    "function size": ("src/io/a.cc", "\n" + long_function(81), 2, "a function of 81 lines; at most 80"),
    "policy size": ("src/balance/policies/a.cc", "int a;\n" * 201, 1, "a policy has at most 200"),
    "clock": ("src/proxy/a.cc", "auto t = std::chrono::steady_clock::now();\n", 1, "the OS clock is banned"),
    "clock in a test": ("src/proxy/a_test.cc", "auto t = std::chrono::system_clock::now();\n", 1, "the OS clock"),
    "entropy": ("src/balance/a.cc", "std::random_device device;\n", 1, "entropy is banned"),
    "rand": ("src/cli/a.cc", "int x = rand();\n", 1, "rand is banned"),
    "thread": ("src/proxy/a.cc", "std::thread t;\n", 1, "a thread is banned"),
    "mutex": ("src/admin/a.cc", "std::mutex m;\n", 1, "a mutex is banned"),
    "atomic": ("src/proxy/a.cc", "std::atomic<int> n;\n", 1, "an atomic is banned"),
    "socket": ("src/proxy/a.cc", "int fd = ::socket(1, 2, 3);\n", 1, "a socket call is banned"),
    "throw": ("src/http/a.cc", "void f() { throw 1; }\n", 1, "throw is banned"),
    "catch": ("src/http/a.cc", "void f() { try { g(); } catch (...) {} }\n", 1, "catching exceptions is banned"),
    "sleep": ("src/io/a_test.cc", "std::this_thread::sleep_for(x);\n", 1, "sleeping is banned"),
    "new": ("src/http/a.cc", "auto* x = new Thing(1);\n", 1, "naked new"),
    "delete": ("src/http/a.cc", "void f() { delete x; }\n", 1, "naked delete"),
    "wrong allowance": ("src/http/a.cc", "delete x;  // tidy: allow(new) no\n", 1, "naked delete"),
    "capture": ("src/http/a.cc", "auto f = [=] { return x; };\n", 1, "[=] is banned"),
    "todo": ("src/http/a.cc", "// TODO(now): mend\n", 1, "TODO(now) is banned"),
}
# What must not be mistaken for a violation.
INNOCENT = {
    "C's own headers": ("include/evener/evener.h", "#include <stddef.h>\n#include <stdint.h>\n"),
    "comment": ("src/http/a.cc", '// new Thing, rand() and throw are only words here\nauto s = "delete it";\n'),
    "deleted function": ("src/http/a.h", "struct A { A(const A&) = delete; };\n"),
    "allowed new": ("src/http/a.cc", "auto* x = new Thing(1);  // tidy: allow(new) the library takes it\n"),
    "placement": ("src/http/a.cc", "auto* x = ::new (memory) Thing(1);\n"),
    "separator": ("src/http/a.cc", "int x = 10'000;\nint y = 20'000;\n"),
    "function of 80": ("src/http/a.cc", long_function(80)),
    "lower level": ("src/proxy/a.cc", '#include "io/loop.h"\n#include "proxy/b.h"\n#include <vector>\n'),
    "clock at home": ("src/io/socket.cc", "::clock_gettime(CLOCK_MONOTONIC, &ts);\n"),
}


class Canary(unittest.TestCase):
    def tidy(self, path="", text=""):
        with tempfile.TemporaryDirectory() as root:
            for name, content in (("src/base/clean.cc", CLEAN), (path, text)):
                if name:
                    full = os.path.join(root, name)
                    os.makedirs(os.path.dirname(full), exist_ok=True)
                    with open(full, "w", encoding="utf-8") as f:
                        f.write(content)
            done = subprocess.run([sys.executable, TIDY, root], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    def test_a_clean_tree_passes(self):
        code, out = self.tidy()
        self.assertEqual(code, 0, out)

    def test_an_empty_tree_is_no_success(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertEqual(subprocess.run([sys.executable, TIDY, root], capture_output=True, check=False).returncode, 1)

    def test_each_planted_violation_is_found(self):
        for name, (path, text, line, words) in PLANTED.items():
            with self.subTest(name):
                code, out = self.tidy(path, text)
                self.assertEqual(code, 1, out)
                self.assertIn(f"{path}:{line}: error: ", out)
                self.assertIn(words, out)

    def test_innocent_code_passes(self):
        for name, (path, text) in INNOCENT.items():
            with self.subTest(name):
                code, out = self.tidy(path, text)
                self.assertEqual(code, 0, out)


if __name__ == "__main__":
    unittest.main()
