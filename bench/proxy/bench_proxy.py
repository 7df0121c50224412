#!/usr/bin/env python3
"""CPU per proxied request: Evener (epoll, io_uring) beside nginx and HAProxy, in one run.

Each proxy has one worker on one core; load and endpoints share the other, in one of three states:
  sat    our sat_load is both, in one cheap thread, so the proxy is what limits;
  wrk    wrk as load, sat_load's endpoints: an independent load, and the proxy still limits or nearly so;
  woken  wrk before nginx endpoints: the load's core limits, so the faster a proxy is, the more often it
         sleeps and is woken for a single event, and waking is what it pays for.
CPU per request depends on the state, so a figure means nothing without it. All proxies stay up;
rounds are interleaved and the order is reversed every other round. CPU is what the kernel's scheduler
accounts to the proxy's threads (/proc/PID/task/*/schedstat). Ratios are paired per round. This
machine's speed drifts, so only the ratios of one run mean something.

Writes a table to standard output and JSON to --json. Exit code 0 when measured, 1 when it could not.
"""
import argparse
import glob
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = {"200B": 200, "16KB": 16_000, "1MB": 1_000_000}
STATES = ("sat", "wrk", "woken")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def fill(name, directory, **values):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        text = f.read()
    for key, value in {**values, "DIR": directory}.items():
        text = text.replace(f"@{key}@", str(value))
    path = os.path.join(directory, f"{values.get('NAME', '')}{name.removesuffix('.in')}")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def pinned(core, command, log):
    return subprocess.Popen(["taskset", "-c", str(core), *command], stdout=log, stderr=log)


def wait_for(port, process, name):
    for _ in range(200):
        if process.poll() is not None:
            sys.exit(f"bench: {name} ended with code {process.returncode}; see its log")
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit(f"bench: {name} does not listen on port {port} after 10 s")


def family(pid):
    children = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with open(path, encoding="ascii") as f:
            children += f.read().split()
    return [pid] + [p for child in children for p in family(int(child))]


def cpu_ns(pid):
    total = 0
    for process in family(pid):
        for path in glob.glob(f"/proc/{process}/task/*/schedstat"):
            with open(path, encoding="ascii") as f:
                total += int(f.read().split()[0])
    return total


def wrk_load(port, size, connections, seconds):
    out = subprocess.run(
        ["taskset", "-c", "1", "wrk", "-t1", f"-c{connections}", f"-d{seconds}",
         "-H", "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36",
         "-H", "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
         "-H", "Accept-Language: en-US,en;q=0.5", "-H", "Accept-Encoding: gzip, deflate, br",
         "-H", "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark",
         f"http://127.0.0.1:{port}/f{SIZES[size]}"],
        capture_output=True, text=True, check=True).stdout
    requests = int(re.search(r"(\d+) requests in", out).group(1))
    errors = sum(map(int, re.findall(r"(?:connect|read|write|timeout) (\d+)", out)))
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    return requests, errors + (int(bad.group(1)) if bad else 0)


class SatLoad:
    """sat_load: the endpoints' ports, and runs on demand."""

    def __init__(self, binary, size, log):
        self.process = subprocess.Popen(["taskset", "-c", "1", binary, "4", str(SIZES[size])],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        self.ports = list(map(int, self.process.stdout.readline().split()))

    def load(self, port, _size, connections, seconds):
        self.process.stdin.write(f"{port} {connections} {seconds * 1000} /\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["requests"], answer["errors"]


class Proxy:
    def __init__(self, name, command, port, log, core=0):
        self.name, self.port = name, port
        self.process = pinned(core, command, log)

    def measure(self, load, size, connections, seconds):
        before = cpu_ns(self.process.pid)
        requests, errors = load(self.port, size, connections, seconds)
        used = cpu_ns(self.process.pid) - before
        if errors or not requests:
            sys.exit(f"bench: {self.name} answered {errors} of {requests} requests with an error")
        return used / requests / 1000


def start_proxies(args, directory, ports, log):
    proxies = []

    def add(name, template, command, servers, engine=""):
        port = free_port()
        path = fill(template, directory, PORT=port, SERVERS=servers, ENGINE=engine, NAME=f"{name}-")
        proxies.append(Proxy(name, [word.replace("FILE", path) for word in command], port, log))

    listed = ", ".join(f'"127.0.0.1:{p}"' for p in ports)
    for engine in ("epoll", "uring"):
        add(f"evener-{engine}", "evener.yaml.in", [args.evener, "run", "-c", "FILE"], listed, engine)
    if shutil.which("nginx"):
        add("nginx", "nginx.conf.in", ["nginx", "-g", "daemon off;", "-c", "FILE"],
            " ".join(f"server 127.0.0.1:{p};" for p in ports))
    if shutil.which("haproxy"):
        add("haproxy", "haproxy.cfg.in", ["haproxy", "-f", "FILE"],
            "\n".join(f"  server s{p} 127.0.0.1:{p}" for p in ports))
    for proxy in proxies:
        wait_for(proxy.port, proxy.process, proxy.name)
    return proxies


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def run_case(args, proxies, state, load, size, connections):
    samples = {p.name: [] for p in proxies}
    for proxy in proxies:
        load(proxy.port, size, connections, 1)
    for r in range(args.rounds):
        for proxy in proxies if r % 2 == 0 else reversed(proxies):
            samples[proxy.name].append(proxy.measure(load, size, connections, args.seconds))
        print(f"  {state} {size} {connections} connections: round {r + 1} of {args.rounds}", file=sys.stderr)
    case = {"state": state, "size": size, "connections": connections,
            "us_per_request": {n: spread(v) for n, v in samples.items()}, "ratios": {}}
    for ours in ("evener-epoll", "evener-uring"):
        for peer in ("nginx", "haproxy"):
            if peer in samples:
                ratios = [a / b for a, b in zip(samples[ours], samples[peer])]
                case["ratios"][f"{ours}/{peer}"] = spread(ratios)
    return case


def show(case):
    print(f"\n{case['state']}, {case['size']}, {case['connections']} connections: CPU us per request, median [min-max]")
    for name, s in case["us_per_request"].items():
        ratios = "  ".join(f"{r['median']:.2f} [{r['min']:.2f}-{r['max']:.2f}] of {k.split('/')[1]}"
                           for k, r in case["ratios"].items() if k.startswith(name + "/"))
        print(f"  {name:<14}{s['median']:8.1f} [{s['min']:.1f}-{s['max']:.1f}]  {ratios}")


def nginx_endpoints(directory, log):
    os.makedirs(os.path.join(directory, "www"))
    for size in SIZES.values():
        with open(os.path.join(directory, "www", f"f{size}"), "wb") as f:
            f.write(os.urandom(size))
    ports = [free_port() for _ in range(4)]
    conf = fill("endpoint.conf.in", directory,
                LISTENS=" ".join(f"listen 127.0.0.1:{p} backlog=1024;" for p in ports))
    process = pinned(1, ["nginx", "-g", "daemon off;", "-c", conf], log)
    wait_for(ports[0], process, "the endpoint")
    return ports, process


def run_state(args, state, size, directory, log):
    """All cases of one state and size, with proxies of their own."""
    processes = []
    try:
        load = wrk_load
        if state == "woken":
            ports, endpoint = nginx_endpoints(directory, log)
            processes.append(endpoint)
        else:
            sat = SatLoad(args.sat_load, size, log)
            processes.append(sat.process)
            ports = sat.ports
            if state == "sat":
                load = sat.load
        proxies = start_proxies(args, directory, ports, log)
        processes += [p.process for p in proxies]
        for connections in map(int, args.connections.split(",")):
            yield run_case(args, proxies, state, load, size, connections)
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--evener", required=True, help="the binary to measure")
    parser.add_argument("--sat-load", default="", help="the load tool; default: beside the binary")
    parser.add_argument("--json", default="", help="write the figures to this file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2, help="of load per proxy and round")
    parser.add_argument("--states", default=",".join(STATES))
    parser.add_argument("--sizes", default="200B,16KB,1MB")
    parser.add_argument("--connections", default="64")
    args = parser.parse_args()
    if not args.sat_load:
        args.sat_load = os.path.join(os.path.dirname(os.path.abspath(args.evener)), "sat_load")
    unknown = set(args.states.split(",")) - set(STATES)
    if unknown:
        parser.error(f"unknown state {', '.join(sorted(unknown))}; there are {', '.join(STATES)}")
    for tool in ("wrk", "nginx", "taskset"):
        if not shutil.which(tool):
            sys.exit(f"bench: {tool} is missing; 'make setup-bench' installs wrk, nginx and haproxy")
    return args


def main():
    args = parse_arguments()
    cases = []
    for state in args.states.split(","):
        for size in args.sizes.split(","):
            directory = tempfile.mkdtemp(prefix="evener-bench-")
            os.chmod(directory, 0o755)
            with open(os.path.join(directory, "log"), "wb") as log:
                for case in run_state(args, state, size, directory, log):
                    cases.append(case)
                    show(case)
            shutil.rmtree(directory)
    load_average = os.getloadavg()[0]
    print(f"\nload average at the end: {load_average:.1f} on {os.cpu_count()} cores")
    if args.json:
        os.makedirs(os.path.dirname(os.path.abspath(args.json)), exist_ok=True)
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump({"cases": cases, "rounds": args.rounds, "seconds": args.seconds,
                       "load_average": load_average, "kernel": os.uname().release}, f, indent=2)


if __name__ == "__main__":
    main()
