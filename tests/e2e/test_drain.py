"""SIGTERM under load: the process ends with exit code 0 and no request fails."""
import signal
import socket
import threading
import time

import harness


class Client(threading.Thread):
    """Requests one after the other until it is told to reconnect and nobody listens any more."""

    def __init__(self, port, keep_alive):
        super().__init__(daemon=True)
        self.port, self.keep_alive = port, keep_alive
        self.answered, self.failures, self.refused = 0, [], False

    def run(self):
        while not self.refused and not self.failures:
            try:
                connection = socket.create_connection(("127.0.0.1", self.port), 10)
            except ConnectionRefusedError:
                self.refused = True
                return
            except OSError as error:
                self.failures.append(f"connect: {error}")
                return
            with connection:
                connection.settimeout(20)
                self.use(connection)

    def use(self, connection):
        reader = connection.makefile("rb")
        more = "" if self.keep_alive else "Connection: close\r\n"
        count = 0
        while True:
            count += 1
            try:
                connection.sendall(f"GET /1k HTTP/1.1\r\nHost: a\r\n{more}\r\n".encode())
                head = harness.read_head(reader)
                if head is None or " 200 " not in head[0]:
                    self.failures.append(f"request {count} of its connection: {head}")
                    return
                body = harness.read_body(reader, head[1])
            except OSError as error:
                self.failures.append(f"request {count} of its connection: {error}")
                return
            if len(body) != 1000:
                self.failures.append(f"{len(body)} bytes")
                return
            self.answered += 1
            if head[1].get("connection") == "close":
                return


class Drain(harness.Case):
    def drain_under_load(self, workers, keep_alive):
        endpoint = self.keep(harness.Nginx(self.folder, {"1k": 1000}))
        evener = self.start([endpoint.port], workers=workers)
        clients = [Client(evener.port, keep_alive) for _ in range(16)]
        for client in clients:
            client.start()
        harness.wait_for(lambda: sum(c.answered for c in clients) > 200, "load")
        begin = time.monotonic()
        evener.popen.send_signal(signal.SIGTERM)
        code = evener.popen.wait(harness.PATIENCE)
        self.assertEqual(code, 0, evener.log())
        self.assertLess(time.monotonic() - begin, 5, "nothing was left to wait for")
        for client in clients:
            client.join(harness.PATIENCE)
            self.assertEqual(client.failures, [])
            self.assertTrue(client.refused)
        self.assertIn("drained", evener.log())

    def test_kept_connections_lose_no_request(self):
        for workers in (1, 2):
            with self.subTest(workers=workers):
                self.drain_under_load(workers, True)

    def test_new_connections_lose_no_request(self):
        for workers in (1, 2):
            with self.subTest(workers=workers):
                self.drain_under_load(workers, False)

    def test_an_open_download_ends_first(self):
        endpoint = self.keep(harness.Nginx(self.folder, {"50m": 50 << 20}))
        evener = self.start([endpoint.port])
        with socket.create_connection(("127.0.0.1", evener.port), 10) as connection:
            connection.sendall(b"GET /50m HTTP/1.1\r\nHost: a\r\n\r\n")
            reader = connection.makefile("rb")
            _, fields = harness.read_head(reader)
            evener.popen.send_signal(signal.SIGTERM)
            harness.wait_for(lambda: "draining" in evener.log(), "the drain")
            body = harness.read_body(reader, fields)
        self.assertEqual(body, harness.content(50 << 20))
        self.assertEqual(evener.popen.wait(harness.PATIENCE), 0)

    def test_the_deadline_ends_what_hangs_and_a_second_signal_at_once(self):
        def hang(reader, _):
            reader.read()

        endpoint = self.keep(harness.OwnEndpoint(hang))
        for drain, signals, most in (("300ms", 1, 5), ("20s", 2, 5)):
            evener = self.start([endpoint.port], extra=f"timeouts: {{ drain: {drain} }}\n")
            with socket.create_connection(("127.0.0.1", evener.port), 10) as connection:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                time.sleep(0.1)
                begin = time.monotonic()
                for _ in range(signals):
                    evener.popen.send_signal(signal.SIGTERM)
                    time.sleep(0.2)
                self.assertEqual(evener.popen.wait(harness.PATIENCE), 0, evener.log())
                self.assertLess(time.monotonic() - begin, most)


if __name__ == "__main__":
    harness.main()
