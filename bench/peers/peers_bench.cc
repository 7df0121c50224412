// Peers' rules beside ours, in the loop of bench/balance/pick_bench.cc: pick and finish, with 64
// requests out, time and latencies that vary, one failure in 1,024.
//
// peers/RULE/N: one thread. With /threads:2: two threads that share one balancer, for the peers
// that are made for it, beside two threads with one Evener balancer each, which share nothing. What
// is measured is cost; how well each rule balances is another matter (docs/policies.md).
#include <benchmark/benchmark.h>
#include <evener/balancer.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "brpc_p2c.h"
#include "envoy_least_request.h"
#include "go_zero_p2c.h"
#include "tower_peak_ewma.h"
#include "yarpc_heap.h"

namespace {

using namespace evener;
using peers::Caller;

// Ours, to be driven as a peer.
template <const char* kPolicy>
class Ours {
 public:
  using Pending = Ticket;

  Ours(std::size_t n, std::size_t)
      : balancer_({.policy = {.name = kPolicy, .choices = 2}, .seed = 42}) {
    std::vector<Endpoint> endpoints(n);
    for (std::size_t i = 0; i < n; ++i) {
      endpoints[i].id = EndpointId{i};
      endpoints[i].name = "10.0.0.1:" + std::to_string(i);
    }
    balancer_.apply(EndpointSet::make(1, std::move(endpoints)).value(), Time());
  }

  Ticket pick(Caller&, Time now) {
    if ((++picks_ & 4095) == 0) balancer_.tick(now);
    return std::move(*balancer_.pick({.now = now}));
  }
  void finish(Caller&, Ticket& ticket, bool success, Time now) {
    ticket.finish(success ? Outcome::kSuccess : Outcome::kFailure, now);
  }

 private:
  Balancer balancer_;
  std::uint64_t picks_ = 0;
};

template <typename Peer>
void drive(benchmark::State& state, Peer* peer, const std::unique_ptr<Peer>* shared) {
  constexpr std::size_t kOut = 64;
  std::array<typename Peer::Pending, kOut> out{};
  Caller caller{Rng(static_cast<std::uint64_t>(state.thread_index()) + 7),
                static_cast<std::size_t>(state.thread_index())};
  Time now;
  std::uint64_t i = 0;
  for (auto _ : state) {
    // Made by the first thread; there once all have begun.
    if (peer == nullptr) [[unlikely]]
      peer = shared->get();
    now = now + Duration::nanoseconds(static_cast<std::int64_t>(500 + (caller.rng.u64() & 1023)));
    auto& oldest = out[i % kOut];
    if (oldest) [[likely]]
      peer->finish(caller, oldest, (i & 1023) != 1023, now);
    oldest = peer->pick(caller, now);
    ++i;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

template <typename Peer>
void alone(benchmark::State& state, std::size_t n) {
  Peer peer(n, 1);
  drive<Peer>(state, &peer, nullptr);
}

template <typename Peer>
void together(benchmark::State& state, std::size_t n) {
  static std::unique_ptr<Peer> shared;
  if (state.thread_index() == 0) {
    shared = std::make_unique<Peer>(n, static_cast<std::size_t>(state.threads()));
  }
  drive<Peer>(state, nullptr, &shared);
}

enum class Threads : std::uint8_t { kOne, kShared, kEachItsOwn };

template <typename Peer>
void add(const std::string& rule, Threads threads) {
  for (const std::size_t n : {2UL, 10UL, 100UL, 1000UL, 100'000UL}) {
    const std::string name = "peers/" + rule + "/" + std::to_string(n);
    const auto one = [n](benchmark::State& state) { alone<Peer>(state, n); };
    benchmark::RegisterBenchmark(name.c_str(), one);
    if (threads == Threads::kOne || n != 1000) continue;
    const auto two = [n, threads](benchmark::State& state) {
      threads == Threads::kShared ? together<Peer>(state, n) : alone<Peer>(state, n);
    };
    benchmark::RegisterBenchmark(name.c_str(), two)->Threads(2)->UseRealTime();
  }
}

constexpr char kPeakEwma[] = "peak_ewma";
constexpr char kP2c[] = "p2c";
constexpr char kLeastRequest[] = "least_request";

const bool kRegistered = [] {
  add<Ours<kPeakEwma>>("evener_peak_ewma", Threads::kEachItsOwn);
  add<Ours<kP2c>>("evener_p2c", Threads::kEachItsOwn);
  add<Ours<kLeastRequest>>("evener_least_request", Threads::kEachItsOwn);
  add<peers::BrpcP2c>("brpc_p2c", Threads::kShared);
  add<peers::GoZeroP2c>("go_zero_p2c", Threads::kShared);
  add<peers::TowerPeakEwma>("tower_peak_ewma", Threads::kOne);
  add<peers::EnvoyLeastRequest>("envoy_least_request", Threads::kShared);
  add<peers::YarpcHeap>("yarpc_heap", Threads::kShared);
  return true;
}();

}  // namespace
