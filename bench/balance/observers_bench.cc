// What watching and guarding cost a pick and finish of peak_ewma at 1,000 endpoints: the ring of
// decisions, a shadow policy, ejection, a limit. Compare with plain/peak_ewma of the same run;
// --benchmark_enable_random_interleaving=true makes the comparison fair on a busy machine.
#include <benchmark/benchmark.h>
#include <evener/balancer.h>

#include <array>
#include <string>

namespace {

using namespace evener;

void pick_finish(benchmark::State& state, const BalancerOptions& options) {
  constexpr std::size_t kEndpoints = 1000;
  std::vector<Endpoint> endpoints(kEndpoints);
  for (std::size_t i = 0; i < kEndpoints; ++i) {
    endpoints[i].id = EndpointId{i};
    endpoints[i].name = "s" + std::to_string(i);
  }
  Balancer balancer(options);
  balancer.apply(EndpointSet::make(1, std::move(endpoints)).value(), Time());
  std::array<Ticket, 64> out;
  Rng rng(7);
  Time now;
  std::uint64_t i = 0;
  for (auto _ : state) {
    now = now + Duration::nanoseconds(static_cast<std::int64_t>(500 + (rng.u64() & 1023)));
    Ticket& oldest = out[i % out.size()];
    oldest.finish((i & 1023) == 1023 ? Outcome::kFailure : Outcome::kSuccess, now);
    oldest = std::move(*balancer.pick({.now = now, .key = {}}));
    if ((++i & 1023) == 0) balancer.tick(now);
  }
}

BalancerOptions with(auto&& change) {
  BalancerOptions options;
  options.seed = 42;
  change(options);
  return options;
}

BENCHMARK_CAPTURE(pick_finish, plain, with([](BalancerOptions&) {}))->Name("watch/plain");
BENCHMARK_CAPTURE(pick_finish, sampled,
                  with([](BalancerOptions& o) { o.decisions = {.entries = 1024, .every = 64}; }))
    ->Name("watch/decisions_1_in_64");
BENCHMARK_CAPTURE(pick_finish, all,
                  with([](BalancerOptions& o) { o.decisions = {.entries = 1024, .every = 1}; }))
    ->Name("watch/decisions_all");
BENCHMARK_CAPTURE(pick_finish, shadow,
                  with([](BalancerOptions& o) { o.shadow = PolicySettings{.name = "p2c"}; }))
    ->Name("watch/shadow_p2c");
BENCHMARK_CAPTURE(pick_finish, ejection,
                  with([](BalancerOptions& o) { o.ejection.enabled = true; }))
    ->Name("watch/ejection");
BENCHMARK_CAPTURE(pick_finish, limit, with([](BalancerOptions& o) { o.max_in_flight = 100; }))
    ->Name("watch/limit");

}  // namespace
