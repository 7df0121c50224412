#!/usr/bin/env python3
"""Asks a real nginx which server its `hash ... consistent` gives each of some hundred keys.

    tests/vectors/nginx_ring.py > tests/vectors/nginx_ring.txt

Starts one nginx on loopback ports the kernel chose, with servers of several weights that answer with
their own name, and asks twice: with all up, and with one marked down. Ends it by its process id.
src/balance/keyed/ketama_ring_test.cc checks our ring against the result.
"""
import http.client
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

WEIGHTS = [("127.0.0.1", 1), ("127.0.0.2", 2), ("127.0.0.3", 5), ("127.0.0.1", 1), ("127.0.0.4", 3),
           ("[::1]", 1), ("127.0.0.5", 10)]
DOWN = 2  # index in WEIGHTS


def free_port(host):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as s:
        s.bind((host.strip("[]"), 0))
        return s.getsockname()[1]


def keys():
    luck = random.Random(20)
    words = ["a", "0", "user", "x" * 1000, "/", "/index.html?a=1&b=2", "10.0.0.7", "2001:db8::1"]
    words += [f"user-{i}" for i in range(200)]
    words += [f"10.{luck.randrange(256)}.{luck.randrange(256)}.{luck.randrange(256)}" for _ in range(150)]
    words += ["".join(chr(luck.randrange(33, 127)) for _ in range(luck.randrange(1, 40))) for _ in range(150)]
    return words


def config(folder, servers, fronts):
    lines = [f"daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;"]
    lines += ["user root;"] if os.geteuid() == 0 else []
    lines += ["events { worker_connections 256; }", "http { access_log off; keepalive_requests 100000;"]
    lines += [f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")]
    for name, down in (("all", None), ("some", DOWN)):
        lines += [f"upstream {name} {{ hash $http_x_key consistent;"]
        lines += [f"server {server} weight={weight}{' down' if i == down else ''};"
                  for i, (server, weight) in enumerate(servers)]
        lines += ["}", f"server {{ listen {fronts[name]}; location / {{ proxy_pass http://{name}; }} }}"]
    lines += [f'server {{ listen {server}; return 200 "{server}"; }}' for server, _ in servers]
    return "\n".join(lines + ["}"])


def ask(front, words):
    connection = http.client.HTTPConnection(*front.split(":"), timeout=10)
    owners = []
    for word in words:
        connection.request("GET", "/", headers={"X-Key": word})
        answer = connection.getresponse()
        owners.append(answer.read().decode())
        if answer.status != 200:
            sys.exit(f"nginx answered {answer.status}")
    return owners


def main():
    program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if program is None:
        sys.exit("nginx was not found")
    version = subprocess.run([program, "-v"], capture_output=True, text=True, check=True).stderr.strip()
    servers = [(f"{host}:{free_port(host)}", weight) for host, weight in WEIGHTS]
    fronts = {name: f"127.0.0.1:{free_port('127.0.0.1')}" for name in ("all", "some")}
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as f:
            f.write(config(folder, servers, fronts))
        nginx = subprocess.Popen([program, "-p", folder, "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"])
        try:
            for _ in range(200):
                try:
                    socket.create_connection(fronts["all"].split(":"), 1).close()
                    break
                except OSError:
                    time.sleep(0.05)
            words = keys()
            up, down = ask(fronts["all"], words), ask(fronts["some"], words)
        finally:
            os.kill(nginx.pid, signal.SIGTERM)
            nginx.wait(10)
    print(f"# Made by tests/vectors/nginx_ring.py with {version}: hash $http_x_key consistent")
    print("# server NAME WEIGHT; down NAME; key KEY OWNER OWNER-WHILE-DOWN")
    for server, weight in servers:
        print("server", server, weight)
    print("down", servers[DOWN][0])
    for word, first, second in zip(words, up, down):
        print("key", word, first, second)


if __name__ == "__main__":
    main()
