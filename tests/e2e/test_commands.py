"""What the commands print and how they exit: 0 good, 1 the thing failed, 2 bad usage."""
import json
import os
import socket
import subprocess

import harness


class Commands(harness.Case):
    def evener(self, *args):
        return subprocess.run([harness.BINARY, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=harness.PATIENCE, text=True, check=False)

    def config(self, text):
        path = os.path.join(self.folder, "evener.yaml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def test_a_taken_port_is_a_clear_message_and_exit_1(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            path = self.config(f"listeners: [{{ address: 127.0.0.1:{port} }}]\nroutes: [{{ pool: web }}]\n"
                               "pools: { web: { endpoints: [127.0.0.1:9] } }\n")
            done = self.evener("run", "-c", path)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"127.0.0.1:{port}", done.stderr)
            self.assertIn("taken by another process", done.stderr)
            demo = self.evener("demo", "--for", "1", "--port", str(port))
            self.assertEqual(demo.returncode, 1)
            self.assertIn(f"127.0.0.1:{port}", demo.stderr)
            admin = self.config("listeners: [{ address: 127.0.0.1:0 }]\nroutes: [{ pool: web }]\n"
                                "pools: { web: { endpoints: [127.0.0.1:9] } }\n"
                                f"admin: {{ address: 127.0.0.1:{port} }}\n")
            done = self.evener("run", "-c", admin)
            self.assertEqual(done.returncode, 1)
            self.assertIn("admin", done.stderr)
            self.assertIn(f"127.0.0.1:{port}", done.stderr)

    def test_a_second_evener_on_the_same_port_is_refused(self):
        first = self.start([9])
        path = self.config(f"listeners: [{{ address: 127.0.0.1:{first.port} }}]\nroutes: [{{ pool: web }}]\n"
                           "pools: { web: { endpoints: [127.0.0.1:9] } }\n")
        done = self.evener("run", "-c", path)
        self.assertEqual(done.returncode, 1, "SO_REUSEPORT must not let a second process in")
        self.assertIn("taken", done.stderr)

    def test_check_says_file_line_and_column(self):
        path = self.config("listeners: [{ address: 127.0.0.1:8080 }]\nroutes: [{ pool: web }]\n"
                           "pools:\n  web: { endpoint: [127.0.0.1:1] }\n")
        done = self.evener("check", "-c", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{path}:4:10", done.stdout + done.stderr)
        self.assertIn("endpoints", done.stdout + done.stderr)
        self.assertEqual(self.evener("run", "-c", path).returncode, 1)
        good = self.config("listeners: [{ address: 127.0.0.1:8080 }]\nroutes: [{ pool: web }]\n"
                           "pools:\n  web: { endpoints: [127.0.0.1:1] }\n")
        self.assertEqual(self.evener("check", good).returncode, 0)
        out = self.evener("check", good, "--json")
        self.assertTrue(json.loads(out.stdout)["good"])
        self.assertEqual(self.evener("check", "-c", path + ".missing").returncode, 1)

    def test_bad_usage_is_exit_2(self):
        for args in ([], ["serve"], ["run"], ["run", "-c", "x", "--engine", "magic"],
                     ["demo", "--for", "soon"], ["demo", "--policy", "best"], ["check"],
                     ["version", "--verbose"]):
            with self.subTest(args=args):
                done = self.evener(*args)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertTrue(done.stderr.strip())

    def test_help_has_examples_and_exit_0(self):
        for args in (["--help"], ["run", "--help"], ["check", "--help"], ["demo", "--help"],
                     ["version", "--help"]):
            with self.subTest(args=args):
                done = self.evener(*args)
                self.assertEqual(done.returncode, 0)
                self.assertIn("evener", done.stdout)
        self.assertIn("Examples", self.evener("demo", "--help").stdout)

    def test_demo_json_shows_sane_shares(self):
        done = self.evener("demo", "--for", "3", "--json", "--port", "0", "--seed", "7")
        self.assertEqual(done.returncode, 0, done.stderr)
        summary = json.loads(done.stdout)
        shares = {e["name"]: e["share"] for e in summary["endpoints"]}
        self.assertAlmostEqual(sum(shares.values()), 1, places=6)
        self.assertEqual(summary["broken"], 0)
        self.assertGreater(summary["succeeded"], 500)
        for name in ("fast-1", "fast-2", "fast-3", "fast-4"):
            self.assertGreater(shares[name], 0.08, shares)
        self.assertLess(shares["slow-5"], 0.1, "ten times slower")
        self.assertEqual(sum(e["in_flight"] for e in summary["endpoints"]), 0)


if __name__ == "__main__":
    harness.main()
