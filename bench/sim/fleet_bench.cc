// bench_fleet: how fast the whole proxy runs on the simulated network, on one core.
//
//   fleet/calm: 6 endpoints, one worker, 1,000 requests per simulated second, bodies up to 2 KB.
//   fleet/swarm: seeds as `evener lab proxy` draws them.
//   simulated_s: simulated seconds per second of CPU; 16.7 is a thousand per real minute.
//   items_per_second: requests, from client to endpoint and back, per second of CPU.
#include <benchmark/benchmark.h>

#include "lab/proxy/fleet.h"

namespace {

using namespace evener;
using namespace evener::lab::fleet;

void report(benchmark::State& state, double seconds, std::uint64_t requests) {
  state.counters["simulated_s"] = benchmark::Counter(seconds, benchmark::Counter::kIsRate);
  state.SetItemsProcessed(static_cast<std::int64_t>(requests));
}

void calm(benchmark::State& state) {
  FleetPlan plan = calm_plan(1);
  plan.endpoints = 6;
  plan.rate = 1000;
  plan.body_max = 2000;
  plan.faulty = Duration::seconds(40);
  plan.settle = Duration();
  double seconds = 0;
  std::uint64_t requests = 0;
  for (auto _ : state) {
    ++plan.seed;
    const FleetResult result = run_fleet(plan);
    if (!result.violations.empty()) return state.SkipWithError(result.violations.front().c_str());
    seconds += (plan.faulty + plan.proof).to_seconds();
    requests += result.counts.requests;
  }
  report(state, seconds, requests);
}

void swarm(benchmark::State& state) {
  double seconds = 0;
  std::uint64_t requests = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    const FleetResult result = run_fleet(draw_plan(++seed));
    if (!result.violations.empty()) return state.SkipWithError(result.violations.front().c_str());
    seconds += result.seconds;
    requests += result.counts.requests;
  }
  report(state, seconds, requests);
}

BENCHMARK(calm)->Name("fleet/calm")->Unit(benchmark::kMillisecond);
BENCHMARK(swarm)->Name("fleet/swarm")->Unit(benchmark::kMillisecond)->Iterations(20);

}  // namespace
