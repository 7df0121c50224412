// TowerPeakEwma: the rule of tower's p2c balancer over `PeakEwma` loads (8358ee71, February 2026),
// with linkerd's settings: default RTT 30 ms, decay 10 s.
//
//     load   = L x (q + 1), L first moved by a sample of 0 ns: a read changes the estimate
//     sample = L becomes x if L < x, else L w + x (1 - w), w = e^(-dt / decay), in f64 ns
//
// Two distinct endpoints, the first wins ties. L and its time stand behind a mutex per endpoint,
// which each look and each end of a request takes; q is the count of references to it. One task
// owns the balancer and callers queue in front of it, so it is measured on one thread only.
// Facts: peers-clients.md 1A to 1C, 2.2, 2.3.
//
// Left out, all to the peer's advantage: readiness polling and the maps of the ready cache, the
// queue in front, futures, three to four clock reads per look.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <vector>

#include "peer.h"

namespace evener::peers {

class TowerPeakEwma {
 public:
  using Pending = peers::Pending;

  TowerPeakEwma(std::size_t n, std::size_t) {
    for (std::size_t i = 0; i < n; ++i) nodes_.push_back(std::make_unique<Node>());
  }

  Pending pick(Caller& caller, Time now) {
    std::uint32_t chosen = 0;
    if (nodes_.size() > 1) {
      const Pair pair = distinct_pair(nodes_.size(), caller.rng);
      const double first = load(pair.first, now);
      const double second = load(pair.second, now);
      chosen = first <= second ? pair.first : pair.second;
    }
    nodes_[chosen]->references.fetch_add(1, std::memory_order_relaxed);
    return {chosen, now};
  }

  void finish(Caller&, const Pending& pending, bool, Time now) {
    Node& node = *nodes_[pending.endpoint];
    {
      const std::lock_guard<std::mutex> lock(node.mutex);
      update(node, std::max(now - pending.start, Duration()), now);
    }
    node.references.fetch_sub(1, std::memory_order_acq_rel);
  }

  double load(std::uint32_t endpoint, Time now) {
    Node& node = *nodes_[endpoint];
    const std::uint32_t pending = node.references.load(std::memory_order_relaxed) - 1;
    const std::lock_guard<std::mutex> lock(node.mutex);
    return update(node, Duration(), now) * (pending + 1);
  }

 private:
  static constexpr double kDecayNs = 10e9;
  static constexpr double kDefaultRttNs = 30e6;

  struct Node {
    std::atomic<std::uint32_t> references{1};
    std::mutex mutex;
    Time stamp;
    double rtt_ns = kDefaultRttNs;
  };

  static double update(Node& node, Duration rtt, Time now) {
    const auto sample = static_cast<double>(rtt.ns());
    if (node.rtt_ns < sample) {
      node.rtt_ns = sample;
    } else {
      const Duration elapsed = std::max(now - node.stamp, Duration());
      const double w = std::exp(-static_cast<double>(elapsed.ns()) / kDecayNs);
      node.rtt_ns = node.rtt_ns * w + sample * (1 - w);
    }
    node.stamp = now;
    return node.rtt_ns;
  }

  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace evener::peers
