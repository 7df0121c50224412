"""nginx's real files through Evener with curl, byte for byte, 0 B to 50 MB."""
import hashlib
import subprocess

import harness

FILES = {"0": 0, "1": 1, "1k": 1000, "16k": 16384, "64k1": 65537, "1m": 1 << 20, "50m": 50 << 20}


class Bodies(harness.Case):
    def setUp(self):
        super().setUp()
        harness.tool("curl")
        self.endpoints = [self.keep(harness.Nginx(self.folder, FILES)) for _ in range(2)]
        self.ports = [e.port for e in self.endpoints]

    def check_all(self, evener, *flags):
        # All in one run of curl: its connection stays open from one file to the next.
        urls = []
        for name in FILES:
            urls += ["-o", f"{self.folder}/{name}.got", f"{evener.url}/{name}"]
        self.run_tool("curl", "-sS", "--fail", "--max-time", 30, *flags, *urls)
        for name, size in FILES.items():
            with open(f"{self.folder}/{name}.got", "rb") as f:
                got = hashlib.sha256(f.read()).hexdigest()
            self.assertEqual(got, hashlib.sha256(harness.content(size)).hexdigest(), name)

    def test_every_size_arrives_byte_for_byte(self):
        for workers in (1, 2):
            with self.subTest(workers=workers):
                self.check_all(self.start(self.ports, workers=workers))

    def test_over_http_1_0(self):
        self.check_all(self.start(self.ports), "--http1.0")

    def test_a_slow_reader_gets_it_whole(self):
        evener = self.start(self.ports)
        got = self.run_tool("curl", "-sS", "--fail", "--limit-rate", "2M", f"{evener.url}/1m")
        self.assertEqual(got, harness.content(1 << 20))

    def test_ranges_heads_and_conditions_pass(self):
        evener = self.start(self.ports)
        self.assertEqual(self.run_tool("curl", "-sS", "-r", "100-199", f"{evener.url}/1k"),
                         harness.content(1000)[100:200])
        head = self.run_tool("curl", "-sS", "-I", f"{evener.url}/1m").decode()
        self.assertIn("Content-Length: 1048576", head)
        self.assertIn("Via: 1.1 evener", head)
        tag = [l for l in head.splitlines() if l.lower().startswith("etag:")][0].split(": ")[1]
        code = self.run_tool("curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-H",
                             f"If-None-Match: {tag}", f"{evener.url}/1m")
        self.assertEqual(code, b"304")
        code = self.run_tool("curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}",
                             f"{evener.url}/missing")
        self.assertEqual(code, b"404")

    def test_many_transfers_at_once(self):
        evener = self.start(self.ports, workers=2)
        want = hashlib.sha256(harness.content(50 << 20)).hexdigest()
        running = [subprocess.Popen([harness.tool("curl"), "-sS", "--fail", f"{evener.url}/50m"],
                                    stdout=subprocess.PIPE) for _ in range(4)]
        for process in running:
            body, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0)
            self.assertEqual(hashlib.sha256(body).hexdigest(), want)


if __name__ == "__main__":
    harness.main()
