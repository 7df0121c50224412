"""wrk, h2load and ab through Evener: no error at 64 and 512 connections, one and two workers."""
import re

import harness

SCALE = 4 if harness.SANITIZED else 1
SIZES = {"1k": 1000, "100k": 100_000}


class Load(harness.Case):
    def setUp(self):
        super().setUp()
        self.ports = [self.keep(harness.Nginx(self.folder, SIZES)).port for _ in range(2)]

    def each(self, run):
        for workers in (1, 2):
            evener = self.start(self.ports, workers=workers)
            for connections in (64, 512):
                with self.subTest(workers=workers, connections=connections):
                    run(evener, connections)

    def test_wrk(self):
        harness.tool("wrk")

        def run(evener, connections):
            out = self.run_tool("wrk", "-t", 1, "-c", connections, "-d", 1, f"{evener.url}/1k").decode()
            self.assertNotIn("Socket errors", out)
            self.assertNotIn("Non-2xx", out)
            self.assertGreater(int(re.search(r"(\d+) requests in", out).group(1)), 100, out)

        self.each(run)

    def test_h2load(self):
        harness.tool("h2load")
        count = 8192 // SCALE

        def run(evener, connections):
            for name, n in (("1k", count), ("100k", max(count // 8, connections))):
                out = self.run_tool("h2load", "--h1", "-c", connections, "-n", n,
                                    f"{evener.url}/{name}").decode()
                self.assertIn(f"{n} done, {n} succeeded, 0 failed, 0 errored, 0 timeout", out)
                self.assertIn(f"status codes: {n} 2xx, 0 3xx, 0 4xx, 0 5xx", out)

        self.each(run)

    def test_ab(self):
        harness.tool("ab")
        count = 8192 // SCALE

        def run(evener, connections):
            for keep in (["-k"], []):
                out = self.run_tool("ab", "-q", *keep, "-c", connections, "-n", count,
                                    f"{evener.url}/1k").decode()
                self.assertRegex(out, rf"Complete requests:\s+{count}\n")
                self.assertRegex(out, r"Failed requests:\s+0\n")
                self.assertNotIn("Non-2xx", out)

        self.each(run)


if __name__ == "__main__":
    harness.main()
