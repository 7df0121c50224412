"""The supermarket model in SimPy, as one writes it there: for sim_bench to stand beside.

    supermarket.py SERVERS LOAD JOBS [SEED]

Poisson arrivals, exponential service of mean 1, each job joins the shorter of two distinct queues
at random, ties to either. Prints jobs, seconds of CPU time, jobs per second and the mean time in system of the
last nine tenths.
"""
import random
import sys
import time

import simpy


def main():
    servers, load, jobs = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    env = simpy.Environment()
    queues = [simpy.Resource(env, 1) for _ in range(servers)]
    load_of = [0] * servers
    times = []

    def job(server):
        began = env.now
        load_of[server] += 1
        with queues[server].request() as turn:
            yield turn
            yield env.timeout(rng.expovariate(1))
        load_of[server] -= 1
        times.append(env.now - began)

    def source():
        for _ in range(jobs):
            yield env.timeout(rng.expovariate(load * servers))
            a, b = rng.sample(range(servers), 2)
            if load_of[b] < load_of[a] or (load_of[a] == load_of[b] and rng.random() < 0.5):
                a = b
            env.process(job(a))

    env.process(source())
    start = time.process_time()
    env.run()
    seconds = time.process_time() - start
    measured = times[len(times) // 10:]
    print(f"{jobs} {seconds:.3f} {jobs / seconds:.0f} {sum(measured) / len(measured):.4f}")


if __name__ == "__main__":
    main()
