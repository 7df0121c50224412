// What one request costs the balancer: pick, first byte left out, finish with a latency.
//
// pick_finish/POLICY/N: N endpoints, one thread. Every call differs: time advances, latencies vary,
// and a ring of 64 tickets stays out so that in-flight counts differ. A tick every 4,096 requests.
// Weights are equal; pick_finish_weighted has them between 1 and 4. Keyed policies get another key
// for every request.
#include <benchmark/benchmark.h>
#include <evener/balancer.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace {

using evener::Balancer;
using evener::Duration;
using evener::Endpoint;
using evener::EndpointId;
using evener::EndpointSet;
using evener::Outcome;
using evener::Rng;
using evener::Ticket;
using evener::Time;

evener::EndpointSetPtr make_set(std::size_t n, bool weighted) {
  std::vector<Endpoint> endpoints(n);
  for (std::size_t i = 0; i < n; ++i) {
    endpoints[i].name = "10.0.0.1:" + std::to_string(i);
    endpoints[i].id = evener::endpoint_id(endpoints[i].name);
    if (weighted) endpoints[i].weight = 1 + static_cast<double>(i % 4);
  }
  return EndpointSet::make(1, std::move(endpoints)).value();
}

void pick_finish(benchmark::State& state, const evener::PolicyInfo& policy, std::size_t n,
                 bool weighted) {
  constexpr std::size_t kOut = 64;
  evener::BalancerOptions options;
  options.policy.name = policy.name;
  options.seed = 42;
  Balancer balancer(options);
  balancer.apply(make_set(n, weighted), Time());
  std::array<Ticket, kOut> out;
  Rng rng(7);
  Time now;
  std::uint64_t i = 0;
  std::optional<evener::Key> key;
  for (auto _ : state) {
    now = now + Duration::nanoseconds(static_cast<std::int64_t>(500 + (rng.u64() & 1023)));
    Ticket& oldest = out[i % kOut];
    oldest.finish((i & 1023) == 1023 ? Outcome::kFailure : Outcome::kSuccess, now);
    if (policy.uses_key) {
      const std::uint64_t luck = rng.u64();
      key = {luck, static_cast<std::uint32_t>(luck)};
    }
    oldest = std::move(*balancer.pick({.now = now, .key = key}));
    if ((++i & 4095) == 0) balancer.tick(now);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

const bool kRegistered = [] {
  for (const evener::PolicyInfo& policy : evener::policy_catalog()) {
    for (const bool weighted : {false, true}) {
      for (const std::size_t n : {2UL, 10UL, 100UL, 1000UL, 100'000UL}) {
        const std::string name = std::string(weighted ? "pick_finish_weighted/" : "pick_finish/") +
                                 std::string(policy.name) + "/" + std::to_string(n);
        benchmark::RegisterBenchmark(name.c_str(), [&policy, n, weighted](benchmark::State& state) {
          pick_finish(state, policy, n, weighted);
        });
      }
    }
  }
  return true;
}();

}  // namespace
