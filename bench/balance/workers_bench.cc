// What seeing each other costs workers: pick and finish on one and on two threads, a balancer each.
//
// workers/own: counts of one's own, nothing shared. workers/board: the LoadBoard beside it.
// workers/shared_atomics: two counters shared by all, looked at and changed, without any balancer
// around them: the least that exact common counts would cost. Time is per call and thread, so a
// design that scales shows the same figure for both.
#include <benchmark/benchmark.h>
#include <evener/balancer.h>

#include <atomic>
#include <string>
#include <vector>

namespace {

using namespace evener;

constexpr std::size_t kEndpoints = 100;

EndpointSetPtr make_set(std::uint32_t workers) {
  std::vector<Endpoint> endpoints(kEndpoints);
  for (std::size_t i = 0; i < kEndpoints; ++i) {
    endpoints[i].id = EndpointId{i};
    endpoints[i].name = "s" + std::to_string(i);
  }
  return EndpointSet::make(1, std::move(endpoints), workers).value();
}

void pick_and_finish(benchmark::State& state, const EndpointSetPtr& set) {
  BalancerOptions options;
  options.policy.name = "p2c";
  options.seed = static_cast<std::uint64_t>(state.thread_index());
  options.worker = set->board() != nullptr ? static_cast<std::uint32_t>(state.thread_index()) : 0;
  Balancer balancer(options);
  balancer.apply(set, Time());
  std::int64_t i = 0;
  for (auto _ : state) {
    const Time now = Time::from_ns(++i * 1000);
    if (i % 1024 == 0) balancer.tick(now);
    balancer.pick({.now = now, .key = {}})->finish(Outcome::kSuccess, now);
  }
}

void own(benchmark::State& state) {
  static const EndpointSetPtr set = make_set(1);
  pick_and_finish(state, set);
}

void board(benchmark::State& state) {
  static const EndpointSetPtr set = make_set(2);
  pick_and_finish(state, set);
}

struct alignas(64) SharedCount {
  std::atomic<std::uint32_t> in_flight{0};
};

void shared_atomics(benchmark::State& state) {
  static std::vector<SharedCount> counts(kEndpoints);
  Rng rng(static_cast<std::uint64_t>(state.thread_index()));
  for (auto _ : state) {
    std::atomic<std::uint32_t>& a = counts[rng.below(kEndpoints)].in_flight;
    std::atomic<std::uint32_t>& b = counts[rng.below(kEndpoints)].in_flight;
    const bool first = a.load(std::memory_order_relaxed) <= b.load(std::memory_order_relaxed);
    (first ? a : b).fetch_add(1, std::memory_order_relaxed);
    (first ? a : b).fetch_sub(1, std::memory_order_relaxed);
  }
}

BENCHMARK(own)->Name("workers/own")->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(board)->Name("workers/board")->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(shared_atomics)->Name("workers/shared_atomics")->ThreadRange(1, 2)->UseRealTime();

}  // namespace
