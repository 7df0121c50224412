"""What the end-to-end tests share: the real evener, nginx with real files, endpoints of our own.

Everything listens on 127.0.0.1 on ports the kernel chose, lives in one temporary folder for each test
case, and is ended by its own process id. The environment says what to run: EV_BINARY, EV_ENGINE.
"""
import os
import re
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BINARY = os.environ.get("EV_BINARY", "build/evener")
ENGINE = os.environ.get("EV_ENGINE", "auto")
SANITIZED = bool(os.environ.get("EV_SANITIZE", ""))
PATIENCE = 30


def tool(name):
    """The path of a program, or the test is skipped by its name."""
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if path is None:
        raise unittest.SkipTest(f"{name} was not found; tools/setup.sh installs it")
    return path


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def content(size):
    """Bytes that differ from place to place, so that a slip shows."""
    line = bytes((i * 131 + (i >> 8)) & 0xFF for i in range(65521))
    return (line * (size // len(line) + 1))[:size]


def wait_for(condition, what, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError(f"{what}: not within {seconds} s")


def connects(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


class Process:
    """A program of ours in the background, its output in a file, ended by its id."""

    def __init__(self, args, log_path):
        self.log_path = log_path
        with open(log_path, "wb") as log:
            self.popen = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as f:
            return f.read()

    def stop(self, seconds=PATIENCE):
        """Ends it gently and returns its exit code."""
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGTERM)
        try:
            return self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
            raise AssertionError(f"{self.popen.args[0]} did not end in {seconds} s:\n{self.log()}")


class Evener(Process):
    def __init__(self, folder, endpoints, workers=1, engine=None, extra=""):
        self.engine = engine or ENGINE
        config = os.path.join(folder, "evener.yaml")
        with open(config, "w", encoding="utf-8") as f:
            f.write("listeners: [{ address: 127.0.0.1:0 }]\nroutes: [{ pool: web }]\n"
                    f"pools:\n  web: {{ endpoints: [{', '.join(f'127.0.0.1:{p}' for p in endpoints)}] }}\n"
                    f"admin: {{ address: 127.0.0.1:0 }}\n{extra}")
        super().__init__([BINARY, "run", "-c", config, "--workers", str(workers), "--engine", self.engine],
                         os.path.join(folder, "evener.log"))
        wait_for(lambda: "seed" in self.log() or self.popen.poll() is not None, "evener's start")
        if self.popen.poll() is not None:
            if self.engine == "uring" and "io_uring" in self.log():
                raise unittest.SkipTest("io_uring is not available here")
            raise AssertionError(f"evener ended at once:\n{self.log()}")
        self.port = int(re.search(r"listener '[^']*' on 127\.0\.0\.1:(\d+)", self.log()).group(1))
        self.admin_port = int(re.search(r"admin on http://127\.0\.0\.1:(\d+)/", self.log()).group(1))
        self.url = f"http://127.0.0.1:{self.port}"
        self.admin = f"http://127.0.0.1:{self.admin_port}"


class Nginx(Process):
    """Serves `files` (name to size) from real files."""

    def __init__(self, folder, files):
        program = tool("nginx")
        self.port = free_port()
        root = os.path.join(folder, f"nginx-{self.port}")
        os.makedirs(os.path.join(root, "www"))
        for name, size in files.items():
            with open(os.path.join(root, "www", name), "wb") as f:
                f.write(content(size))
            os.utime(f.name, (1_700_000_000, 1_700_000_000))  # one ETag at all endpoints
        # The worker must reach the files even if nginx drops root's rights.
        user = "user root;" if os.geteuid() == 0 else ""
        temps = "".join(f"{kind}_temp_path {root}/{kind};" for kind in
                        ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(os.path.join(root, "nginx.conf"), "w", encoding="utf-8") as f:
            f.write(f"{user} worker_processes 1; daemon off; pid {root}/pid; error_log {root}/error.log;\n"
                    "events { worker_connections 4096; }\n"
                    f"http {{ access_log off; sendfile on; default_type application/octet-stream; {temps}\n"
                    f"server {{ listen 127.0.0.1:{self.port} backlog=4096; root {root}/www; }} }}\n")
        super().__init__([program, "-p", root, "-e", f"{root}/error.log", "-c", f"{root}/nginx.conf"],
                         os.path.join(root, "output.log"))
        wait_for(lambda: connects(self.port) or self.popen.poll() is not None, "nginx's start")
        if self.popen.poll() is not None:
            raise AssertionError(f"nginx ended at once:\n{self.log()}")


class OwnEndpoint:
    """A threaded endpoint; `serve(stream_reader, connection)` handles one connection."""

    def __init__(self, serve):
        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                try:
                    serve(self.rfile, self.connection)
                except OSError:
                    pass

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            request_queue_size = 512
            allow_reuse_address = True

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def read_head(reader):
    """The start line and the fields (names in lower case), or None at the end."""
    start = reader.readline()
    if not start:
        return None
    fields = {}
    while True:
        line = reader.readline()
        if line in (b"\r\n", b""):
            break
        name, _, value = line.decode("latin-1").partition(":")
        fields[name.lower()] = value.strip()
    return start.decode("latin-1").strip(), fields


def read_body(reader, fields):
    if fields.get("transfer-encoding") == "chunked":
        body = b""
        while True:
            size = int(reader.readline().split(b";")[0], 16)
            if size == 0:
                while reader.readline() not in (b"\r\n", b""):
                    pass
                return body
            body += reader.read(size)
            reader.readline()
    return reader.read(int(fields.get("content-length", 0)))


class Case(unittest.TestCase):
    """A test case with a temporary folder; what `keep` gets is stopped at the end."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="evener-e2e-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def keep(self, thing):
        self.addCleanup(thing.stop)
        return thing

    def start(self, endpoints, **how):
        folder = tempfile.mkdtemp(dir=self.folder)
        evener = Evener(folder, endpoints, **how)

        def ended_well():
            code = evener.stop()
            self.assertEqual(code, 0, f"evener's exit code; its log:\n{evener.log()}")

        self.addCleanup(ended_well)
        return evener

    def run_tool(self, *args, **more):
        done = subprocess.run([tool(args[0]), *map(str, args[1:])], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=PATIENCE * 2, check=False, **more)
        self.assertEqual(done.returncode, 0, f"{args}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        return done.stdout


def main():
    """Runs the file's tests; exit code 77 when every one was skipped."""
    program = unittest.main(exit=False)
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    if result.testsRun > 0 and len(result.skipped) >= result.testsRun:
        for _, reason in result.skipped:
            print("skipped:", reason)
        sys.exit(77)
