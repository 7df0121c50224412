#!/usr/bin/env python3
"""Installs the library into an empty prefix and uses it as a stranger would.

Every header must stand alone, the three examples must build by find_package, the C ones also by
pkg-config and the system's cc, and the shared library must show the C interface and nothing else.
ctest passes the build folder and the compilers in EV_BUILD, EV_CC, EV_CXX and EV_CMAKE.
"""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
EXAMPLES = os.path.join(ROOT, "examples")


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\nexit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def shares(output):
    """The lines `NAME  SHARE %` of an example's output."""
    return {name: float(share) for name, share in re.findall(r"^(\S+)\s+([\d.]+) %", output, re.M)}


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="evener-install-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = os.path.join(cls.folder, "prefix")
        run(os.environ["EV_CMAKE"], "--install", os.environ["EV_BUILD"], "--prefix", cls.prefix)
        cls.include = os.path.join(cls.prefix, "include")
        cls.lib = os.path.dirname(next(os.path.join(folder, name) for folder, _, names in os.walk(cls.prefix)
                                       for name in names if name == "libevener.a"))

    def build(self, example, *arguments):
        build = os.path.join(self.folder, example)
        run(os.environ["EV_CMAKE"], "-S", os.path.join(EXAMPLES, example), "-B", build, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={os.environ['EV_CC']}",
            f"-DCMAKE_CXX_COMPILER={os.environ['EV_CXX']}", *arguments)
        run(os.environ["EV_CMAKE"], "--build", build)
        return run(os.path.join(build, example))

    def pkg_config(self, *arguments):
        return run("pkg-config", *arguments,
                   PKG_CONFIG_PATH=os.path.join(self.lib, "pkgconfig")).split()

    def check_client(self, output):
        found = shares(output)
        self.assertEqual(set(found), {"fast-1", "fast-2", "slow", "flaky"}, output)
        self.assertAlmostEqual(sum(found.values()), 100, delta=0.5)
        self.assertLess(found["slow"], min(found["fast-1"], found["fast-2"]) / 3, output)
        self.assertLess(found["flaky"], min(found["fast-1"], found["fast-2"]), output)
        self.assertRegex(output, r"20000 requests, \d+ retried, 0 failed")

    def test_every_header_stands_alone(self):
        headers = sorted(os.listdir(os.path.join(self.include, "evener")))
        self.assertEqual(headers, sorted(os.listdir(os.path.join(ROOT, "include", "evener"))))
        sources = []
        for header in headers:
            sources.append(os.path.join(self.folder, header + ".cc"))
            with open(sources[-1], "w", encoding="utf-8") as f:
                f.write(f"#include <evener/{header}>\n")
        run(os.environ["EV_CXX"], "-std=c++23", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
            "-I", self.include, *sources)

    def test_the_c_header_is_c99(self):
        source = os.path.join(self.folder, "c99.c")
        with open(source, "w", encoding="utf-8") as f:
            f.write("#include <evener/evener.h>\nint main(void) { return 0; }\n")
        for compiler in (os.environ["EV_CC"], "cc"):
            if shutil.which(compiler):
                run(compiler, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                    "-I", self.include, source)

    def test_cpp_client(self):
        self.check_client(self.build("cpp_client"))

    def test_c_client(self):
        self.check_client(self.build("c_client"))

    def test_custom_policy(self):
        with open(os.path.join(EXAMPLES, "custom_policy", "main.cc"), encoding="utf-8") as f:
            self.assertLess(len(f.readlines()), 60)
        output = self.build("custom_policy")
        found = shares(output)
        self.assertLess(found["slow"], found["near"] / 3, output)
        self.assertIn("by soonest_of_three", output)

    def test_pkg_config(self):
        compiler = shutil.which("cc") or os.environ["EV_CC"]
        source = os.path.join(EXAMPLES, "c_client", "main.c")
        flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
        program = os.path.join(self.folder, "c_client_shared")
        run(compiler, *flags, source, "-o", program, *self.pkg_config("--cflags", "--libs", "evener"))
        self.check_client(run(program, LD_LIBRARY_PATH=self.lib))
        program = os.path.join(self.folder, "c_client_static")
        libraries = [flag for flag in self.pkg_config("--static", "--libs-only-l", "evener") if flag != "-levener"]
        run(compiler, *flags, source, "-o", program, *self.pkg_config("--cflags", "evener"),
            os.path.join(self.lib, "libevener.a"), *libraries)
        self.check_client(run(program))

    def test_pkg_config_for_cpp_with_another_compiler(self):
        compiler = shutil.which("g++") or os.environ["EV_CXX"]
        program = os.path.join(self.folder, "cpp_client_static")
        run(compiler, "-std=c++23", "-Wall", "-Wextra", "-Werror", os.path.join(EXAMPLES, "cpp_client", "main.cc"),
            "-o", program, *self.pkg_config("--cflags", "--libs", "evener-cpp"))
        self.check_client(run(program))

    def test_the_shared_library_shows_the_c_interface_only(self):
        nm = shutil.which("nm") or shutil.which("llvm-nm-19")
        library = os.path.join(self.lib, "libevener.so")
        exported = {line.split()[-1] for line in run(nm, "-D", "--defined-only", library).splitlines()}
        with open(os.path.join(self.include, "evener", "evener.h"), encoding="utf-8") as f:
            header = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        self.assertEqual(exported, set(re.findall(r"\b(evener_\w+)\(", header)))
        version = re.search(r"EVENER_ABI_VERSION (\d+)", header).group(1)
        self.assertTrue(os.path.exists(os.path.join(self.lib, f"libevener.so.{version}")))

    def test_nothing_installed_names_this_machine(self):
        for folder, _, names in os.walk(self.prefix):
            for name in names:
                with open(os.path.join(folder, name), "rb") as f:
                    self.assertNotIn(ROOT.encode(), f.read(), name)


if __name__ == "__main__":
    unittest.main()
