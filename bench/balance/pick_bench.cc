// What one request costs the balancer: pick, first byte left out, finish with a latency.
//
// pick_finish/POLICY/N: N endpoints, one thread. Every call differs: time advances, latencies vary,
// and a ring of 64 tickets stays out so that in-flight counts differ. A tick every 4,096 requests.
// Weights are equal; pick_finish_weighted has them between 1 and 4; policies that compare a number
// of endpoints compare two; pick_finish_choices_N compares N, pick_finish_usual what it does
// unasked. Keyed policies get another key for every request. apply/N: a set of N endpoints, of
// which one in a hundred is new.
#include <benchmark/benchmark.h>
#include <evener/balancer.h>
#include <malloc.h>

#include <array>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "balance/slot.h"

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

// Bytes that operator new gave out and were not returned.
std::size_t live_bytes = 0;

struct Run {
  evener::PolicySettings policy;
  std::size_t n;
  bool weighted = false;
};

void pick_finish(benchmark::State& state, const Run& run) {
  constexpr std::size_t kOut = 64;
  const bool keyed = evener::find_policy(run.policy.name)->uses_key;
  const evener::EndpointSetPtr set = make_set(run.n, run.weighted);
  const std::size_t before = live_bytes;
  Balancer balancer({.policy = run.policy, .seed = 42});
  balancer.apply(set, Time());
  const std::size_t bytes = live_bytes - before;
  std::array<Ticket, kOut> out;
  Rng rng(7);
  std::array<std::uint16_t, 4096> steps;
  for (std::uint16_t& step : steps) step = static_cast<std::uint16_t>(500 + (rng.u64() & 1023));
  Time now;
  std::uint64_t i = 0;
  for (auto _ : state) {
    now = now + Duration::nanoseconds(steps[i % steps.size()]);
    Ticket& oldest = out[i % kOut];
    oldest.finish((i & 1023) == 1023 ? Outcome::kFailure : Outcome::kSuccess, now);
    evener::PickRequest request{.now = now};
    if (keyed) {
      const std::uint64_t luck = rng.u64();
      request.key = {luck, static_cast<std::uint32_t>(luck)};
    }
    oldest = std::move(*balancer.pick(request));
    if ((++i & 4095) == 0) balancer.tick(now);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
  // What a pick reads of an endpoint, and all that a balancer keeps of it.
  state.counters["bytes_per_endpoint_hot"] = sizeof(evener::Slot) + sizeof(std::uint32_t);
  state.counters["bytes_per_endpoint_all"] =
      static_cast<double>(bytes) / static_cast<double>(run.n);
}

void add(const std::string& name, const Run& run) {
  const std::string full = name + "/" + std::to_string(run.n);
  benchmark::RegisterBenchmark(full.c_str(),
                               [run](benchmark::State& state) { pick_finish(state, run); });
}

// Two sets in turn: every hundredth endpoint is another, as in a roll-out.
void apply(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::array<std::vector<Endpoint>, 2> endpoints;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t other = i % 100 == 0 ? n + k : 0;
      Endpoint endpoint;
      endpoint.name = "10.0.0.1:" + std::to_string(i + other);
      endpoint.id = evener::endpoint_id(endpoint.name);
      endpoints[k].push_back(endpoint);
    }
  }
  const std::array<evener::EndpointSetPtr, 2> sets = {EndpointSet::make(1, endpoints[0]).value(),
                                                      EndpointSet::make(2, endpoints[1]).value()};
  Balancer balancer({.seed = 42});
  std::size_t turn = 0;
  for (auto _ : state) balancer.apply(sets[turn++ % 2], Time());
}
BENCHMARK(apply)->Arg(5000)->Unit(benchmark::kMicrosecond);

const bool kRegistered = [] {
  for (const evener::PolicyInfo& policy : evener::policy_catalog()) {
    const std::string name(policy.name);
    // Two choices where a policy takes any: what is alike is compared.
    const evener::PolicySettings two = {.name = name, .choices = 2};
    for (const std::size_t n : {2UL, 10UL, 100UL, 1000UL, 100'000UL}) {
      add("pick_finish/" + name, {two, n});
      add("pick_finish_weighted/" + name, {two, n, true});
    }
  }
  for (const char* name : {"p2c", "peak_ewma", "idle_first", "least_request"}) {
    add(std::string("pick_finish/") + name, {{.name = name, .choices = 2}, 1'000'000});
  }
  // As it is unless settings say otherwise.
  for (const std::size_t n : {2UL, 10UL, 100UL, 256UL, 1000UL, 100'000UL}) {
    add("pick_finish_usual/peak_ewma", {{}, n});
  }
  add("pick_finish_choices_8/peak_ewma", {{.choices = 8}, 1000});
  for (const std::size_t n : {32UL, 128UL}) {
    add("pick_finish_choices_all/peak_ewma", {{.choices = evener::kChoicesAll}, n});
  }
  return true;
}();

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  live_bytes += malloc_usable_size(memory);
  return memory;
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  void* const memory = std::aligned_alloc(static_cast<std::size_t>(alignment), size);
  if (memory == nullptr) std::abort();
  live_bytes += malloc_usable_size(memory);
  return memory;
}
void operator delete(void* memory) noexcept {
  live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { operator delete(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  operator delete(memory);
}
