// Balls into bins per second on one core: the lab's lean engine, and the Balancer beside it.
//
// small/RULE/N: N bins of one octet, N balls a round into cleared bins; items_per_second is balls
// per second. The must is 50 million at N = 1e6 with two choices. wide: 32-bit counts, as for
// heavy loads. balancer/POLICY/N: the same by the product (lab/balls/real.h), its set-up left out
// of nothing: apply and the tickets' return are in the figure.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lab/balls/bins.h"
#include "lab/balls/real.h"

namespace {

using evener::Rng;
using evener::lab::balls::Rule;

template <typename Count>
void balls(benchmark::State& state, const Rule& rule) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::vector<Count> bins(n);
  Rng rng(1);
  for (auto _ : state) {
    state.PauseTiming();
    std::ranges::fill(bins, Count{0});
    state.ResumeTiming();
    evener::lab::balls::place<Count>(bins, n, rule, rng);
    benchmark::DoNotOptimize(bins.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
}

void small(benchmark::State& state, const Rule& rule) { balls<std::uint8_t>(state, rule); }

void wide(benchmark::State& state, const Rule& rule) { balls<std::uint32_t>(state, rule); }

void balancer(benchmark::State& state, const std::string& policy) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto set = evener::lab::balls::equal_endpoints(n);
  Rng rng(1);
  for (auto _ : state) {
    auto loads = evener::lab::balls::place_real(set, {.name = policy}, n, rng);
    benchmark::DoNotOptimize(loads.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
}

BENCHMARK_CAPTURE(small, one_choice, Rule{.choices = 1})->Arg(1'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(small, two_distinct, Rule{})->Arg(1'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(small, two_replacement, Rule{.replacement = true})->Arg(1'000'000);
BENCHMARK_CAPTURE(small, three_distinct, Rule{.choices = 3})->Arg(1'000'000);
BENCHMARK_CAPTURE(small, go_left, Rule{.go_left = true})->Arg(1'000'000);
BENCHMARK_CAPTURE(small, memory, Rule{.choices = 1, .memory = true})->Arg(1'000'000);
BENCHMARK_CAPTURE(small, beta, Rule{.beta = 0.5})->Arg(1'000'000);
BENCHMARK_CAPTURE(wide, two_distinct, Rule{})->Arg(1'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(balancer, p2c, "p2c")->Arg(1'000)->Arg(65'536);
BENCHMARK_CAPTURE(balancer, random, "random")->Arg(1'000);

}  // namespace
