"""Uploads with curl, which expects 100 before long bodies, to an endpoint of ours that says what came."""
import hashlib
import os
import threading
import time

import harness


class Uploads(harness.Case):
    def setUp(self):
        super().setUp()
        harness.tool("curl")
        self.continues = 0
        self.lock = threading.Lock()
        self.endpoint = self.keep(harness.OwnEndpoint(self.serve))

    def serve(self, reader, connection):
        while True:
            head = harness.read_head(reader)
            if head is None:
                return
            start, fields = head
            if "refuse" in start:
                connection.sendall(b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\n\r\ntoo much")
                return
            if fields.get("expect") == "100-continue":
                with self.lock:
                    self.continues += 1
                if "silent" not in start:
                    connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            body = harness.read_body(reader, fields)
            text = hashlib.sha256(body).hexdigest().encode()
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text))

    def upload(self, evener, size, *flags, path="/up"):
        name = os.path.join(self.folder, "upload")
        with open(name, "wb") as f:
            f.write(harness.content(size))
        got = self.run_tool("curl", "-sS", "--max-time", 30, *flags, f"{evener.url}{path}",
                            "--data-binary", f"@{name}")
        self.assertEqual(got.decode(), hashlib.sha256(harness.content(size)).hexdigest())

    def test_posts_of_all_sizes(self):
        evener = self.start([self.endpoint.port])
        for size in (0, 1, 1000, 70_000, 2 << 20, 20 << 20):
            with self.subTest(size=size):
                self.upload(evener, size)
        self.assertGreaterEqual(self.continues, 2, "curl asks for 100 before long bodies")

    def test_chunked_uploads(self):
        evener = self.start([self.endpoint.port])
        for size in (1, 70_000, 2 << 20):
            with self.subTest(size=size):
                self.upload(evener, size, "-H", "Transfer-Encoding: chunked")

    def test_case_F22c_a_silent_endpoint_does_not_hold_a_patient_client(self):
        evener = self.start([self.endpoint.port])
        begin = time.monotonic()
        # curl would wait ten seconds for 100 before it sends without.
        self.upload(evener, 5000, "-H", "Expect: 100-continue", "--expect100-timeout", "10", path="/silent")
        self.assertLess(time.monotonic() - begin, 6)

    def test_case_F32_a_refusal_arrives_while_the_body_is_sent(self):
        evener = self.start([self.endpoint.port])
        name = os.path.join(self.folder, "upload")
        with open(name, "wb") as f:
            f.write(harness.content(20 << 20))
        for flags in (["-H", "Expect:"], []):
            got = self.run_tool("curl", "-sS", "--max-time", 30, "-w", " %{http_code}", *flags,
                                "--data-binary", f"@{name}", f"{evener.url}/refuse")
            self.assertEqual(got, b"too much 413")


if __name__ == "__main__":
    harness.main()
