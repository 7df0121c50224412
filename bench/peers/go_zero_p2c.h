// GoZeroP2c: the rule of go-zero's gRPC balancer `p2c_ewma` (zrpc/internal/balancer/p2c, newest
// snapshot of 2026; the square root is of latency + 1 since 69ea42500).
//
//     load    = floor(sqrt(L + 1)) x (q + 1)                               L in whole ns
//     L       = L w + x (1 - w), w = e^(-dt / 10 s), w = 0 while L is 0
//     success = the same average of 1000 and 0; healthy above 500
//
// Up to three pairs of distinct endpoints are drawn until both are healthy; the smaller load wins,
// of equals the first; the loser is taken instead if it was not picked for a second. One mutex of
// the whole balancer is held for the pick, its source of luck included; the end of a request
// changes the endpoint's numbers by atomic loads and stores. Any number of threads share one.
// Facts: peers-clients.md 1A to 1C, 2.9.
//
// Left out, all to the peer's advantage: the closure that Go allocates for each request, two clock
// reads per pick, the list of ready connections, statistics each minute. C++ mutexes are as cheap
// as Go's here.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "peer.h"

namespace evener::peers {

class GoZeroP2c {
 public:
  using Pending = peers::Pending;

  GoZeroP2c(std::size_t n, std::size_t) : rng_(1) {
    for (std::size_t i = 0; i < n; ++i) nodes_.push_back(std::make_unique<Node>());
  }

  Pending pick(Caller&, Time now) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::size_t n = nodes_.size();
    Pair pair{0, static_cast<std::uint32_t>(n - 1)};
    for (int i = 0; n > 2 && i < kDraws; ++i) {
      pair = distinct_pair(n, rng_);
      if (healthy(pair.first) && healthy(pair.second)) break;
    }
    const std::uint32_t chosen = choose(pair, now.ns());
    nodes_[chosen]->in_flight.fetch_add(1);
    nodes_[chosen]->requests.fetch_add(1);
    return {chosen, now};
  }

  void finish(Caller&, const Pending& pending, bool success, Time now) {
    Node& node = *nodes_[pending.endpoint];
    node.in_flight.fetch_sub(1);
    const std::int64_t elapsed = std::max<std::int64_t>(now.ns() - node.last.exchange(now.ns()), 0);
    const auto sample = static_cast<double>(std::max<std::int64_t>((now - pending.start).ns(), 0));
    const auto known = static_cast<double>(node.latency.load());
    const double w = known == 0 ? 0.0 : std::exp(-static_cast<double>(elapsed) / kDecayNs);
    node.latency.store(static_cast<std::uint64_t>(known * w + sample * (1 - w)));
    const auto before = static_cast<double>(node.success.load());
    const double answer = success ? kBest : 0;
    node.success.store(static_cast<std::uint64_t>(before * w + answer * (1 - w)));
  }

  std::int64_t load(std::uint32_t endpoint) const {
    const Node& node = *nodes_[endpoint];
    const auto latency = static_cast<double>(node.latency.load() + 1);
    return static_cast<std::int64_t>(std::sqrt(latency)) * (node.in_flight.load() + 1);
  }
  bool healthy(std::uint32_t endpoint) const { return nodes_[endpoint]->success.load() > kHealthy; }

 private:
  static constexpr int kDraws = 3;
  static constexpr double kDecayNs = 10e9;
  static constexpr std::int64_t kForceNs = 1'000'000'000;
  static constexpr std::uint64_t kBest = 1000;
  static constexpr std::uint64_t kHealthy = 500;

  struct Node {
    std::atomic<std::uint64_t> latency{0};
    std::atomic<std::int64_t> in_flight{0};
    std::atomic<std::uint64_t> success{kBest};
    std::atomic<std::int64_t> requests{0};
    std::atomic<std::int64_t> last{0};
    std::atomic<std::int64_t> picked{0};
  };

  std::uint32_t choose(Pair pair, std::int64_t now) {
    if (pair.first == pair.second) {  // a pool of one
      nodes_[pair.first]->picked.store(now);
      return pair.first;
    }
    if (load(pair.first) > load(pair.second)) std::swap(pair.first, pair.second);
    Node& loser = *nodes_[pair.second];
    std::int64_t picked = loser.picked.load();
    if (now - picked > kForceNs && loser.picked.compare_exchange_strong(picked, now)) {
      return pair.second;
    }
    nodes_[pair.first]->picked.store(now);
    return pair.first;
  }

  std::mutex mutex_;
  Rng rng_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace evener::peers
