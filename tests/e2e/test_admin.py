"""The admin pages: health, metrics that Prometheus accepts and that traffic can't grow, endpoints."""
import http.client
import json
import subprocess
import urllib.request

import harness


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.status, answer.headers, answer.read().decode()


def series(text):
    return sorted(line.rsplit(" ", 1)[0] for line in text.splitlines() if line and not line.startswith("#"))


class Admin(harness.Case):
    def setUp(self):
        super().setUp()
        self.endpoint = self.keep(harness.OwnEndpoint(self.serve))
        self.evener = self.start([self.endpoint.port, 9], workers=2)

    def serve(self, reader, connection):
        while True:
            head = harness.read_head(reader)
            if head is None:
                return
            harness.read_body(reader, head[1])
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    def scan(self, count):
        """Paths, names, methods and agents as a scanner sends them."""
        connection = http.client.HTTPConnection("127.0.0.1", self.evener.port, timeout=10)
        for i in range(count):
            method = f"ODD{i}" if i % 7 == 0 else "GET"
            connection.request(method, f"/path-{i}?q={i}",
                               headers={"Host": f"host-{i}.example", "User-Agent": f"agent-{i}"})
            connection.getresponse().read()
        connection.close()

    def test_health(self):
        status, _, body = get(self.evener.admin + "/healthz")
        self.assertEqual(status, 200)
        self.assertTrue(body.strip())

    def test_metrics_pass_promtool(self):
        promtool = harness.tool("promtool")
        self.scan(20)
        _, headers, body = get(self.evener.admin + "/metrics")
        self.assertIn("text/plain", headers["Content-Type"])
        done = subprocess.run([promtool, "check", "metrics"], input=body.encode(), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=20, check=False)
        self.assertEqual(done.returncode, 0, done.stdout.decode())

    def test_case_F61_series_do_not_grow_with_traffic(self):
        self.scan(1)
        before = series(get(self.evener.admin + "/metrics")[2])
        self.scan(1000)
        text = get(self.evener.admin + "/metrics")[2]
        self.assertEqual(series(text), before)
        for trace in ("path-", "host-", "agent-", "ODD"):
            self.assertNotIn(trace, text)
        values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        self.assertEqual(values["evener_requests_total"], "1001")
        self.assertEqual(values["evener_requests_in_flight"], "0")

    def test_endpoints_is_json_that_tells_the_counts(self):
        self.scan(50)
        _, headers, body = get(self.evener.admin + "/endpoints")
        self.assertIn("application/json", headers["Content-Type"])
        text = json.dumps(json.loads(body))
        self.assertIn(f"127.0.0.1:{self.endpoint.port}", text)
        self.assertIn("in_flight", text)

    def test_an_unknown_page_is_404(self):
        with self.assertRaises(urllib.error.HTTPError) as caught:
            get(self.evener.admin + "/nothing")
        self.assertEqual(caught.exception.code, 404)
        caught.exception.close()


if __name__ == "__main__":
    harness.main()
