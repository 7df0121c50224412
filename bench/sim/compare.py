#!/usr/bin/env python3
"""The simulator beside SimPy: the supermarket model, same size and load, as a ratio.

    compare.py BENCH_SIM [SERVERS] [JOBS]

Runs BENCH_SIM (build/bench_sim) and supermarket.py in turns, five times each, so that both meet the same
machine, and prints calls per second of CPU time, the median of each [least to most], their ratio,
and the mean time in system that both found. SimPy is Debian's python3-simpy3; without it only ours is told.
"""
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TURNS = 5
# Where Debian's packages are seen, whatever python runs this.
PYTHON = "/usr/bin/python3"


def ours(bench, servers):
    out = subprocess.run([bench, f"--benchmark_filter=p2c/{servers}$", "--benchmark_format=json"], check=True,
                         capture_output=True, text=True).stdout
    found = json.loads(out)["benchmarks"][0]
    return found["items_per_second"], found["mean"]


def simpy(servers, jobs):
    out = subprocess.run([PYTHON, os.path.join(HERE, "supermarket.py"), str(servers), "0.9", str(jobs)], check=False,
                         capture_output=True, text=True)
    if out.returncode != 0:
        return None
    _, _, rate, mean = out.stdout.split()
    return float(rate), float(mean)


def line(name, runs):
    rates = [rate for rate, _ in runs]
    mean = statistics.mean(mean for _, mean in runs)
    print(f"{name:8} {statistics.median(rates):12,.0f} calls/s [{min(rates):,.0f} to {max(rates):,.0f}]"
          f"  mean time {mean:.3f}")
    return statistics.median(rates)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    servers = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    jobs = int(sys.argv[3]) if len(sys.argv) > 3 else 100_000
    mine, theirs = [], []
    for _ in range(TURNS):
        mine.append(ours(sys.argv[1], servers))
        theirs.append(simpy(servers, jobs))
    print(f"supermarket model, {servers} servers, load 0.9, two choices; one core, CPU time")
    rate = line("evener", mine)
    if None in theirs:
        print("SimPy is not installed (apt-get install python3-simpy3): no ratio")
        return
    print(f"ratio {rate / line('SimPy', theirs):.0f}")


if __name__ == "__main__":
    main()
