// BrpcP2c: the rule of Apache brpc's load balancer `p2c` (PR #3367, July 2026; read at 71871ee9).
//
//     score = max(L x e^(-dt / tau), 1 us) x max(q + 1, 1) / weight        tau 10 s, whole us
//     L     = x if x > L, else L w + x (1 - w) with w = e^(-dt / tau)
//     a failed call counts as max(latency, RPC timeout, 2 L), at most 30 s; latency <= 0 is ignored
//
// Two distinct draws by rejection, the strictly smaller score wins; a pool of two is looked at from
// a random offset. In-flight, L and its time are relaxed atomics side by side in a node that is
// allocated alone; the feedback takes the node's mutex, and finds the node by id in a hash map.
// The list is read under the reading thread's own mutex (DoublyBufferedData), in both directions.
// Any number of threads share one. Facts: peers-clients.md 1A to 1C, 3; peers-proxies.md 2.8.
//
// Left out, all to the peer's advantage: addressing the socket of each server looked at (two atomic
// changes of a shared count each), excluded servers, finding the thread's own mutex, the clock. The
// hash map is one array with linear probing, as cheap as one gets.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <vector>

#include "peer.h"

namespace evener::peers {

class BrpcP2c {
 public:
  using Pending = peers::Pending;

  BrpcP2c(std::size_t n, std::size_t threads) : readers_(threads) {
    while (table_.size() < 2 * n) table_.resize(std::max<std::size_t>(8, 2 * table_.size()));
    for (std::size_t i = 0; i < n; ++i) {
      servers_.push_back({kFirstId + i, 1, std::make_shared<Node>()});
      std::size_t at = hash(kFirstId + i);
      while (table_[at].id != 0) at = (at + 1) & (table_.size() - 1);
      table_[at] = {kFirstId + i, static_cast<std::uint32_t>(i)};
    }
  }

  Pending pick(Caller& caller, Time now) {
    const std::lock_guard<std::mutex> reading(readers_[caller.thread].mutex);
    const std::int64_t now_us = now.ns() / 1000;
    const std::size_t n = servers_.size();
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    if (n <= 2) {
      first = static_cast<std::uint32_t>(caller.rng.below(n));
      second = static_cast<std::uint32_t>((first + 1) % n);
    } else {
      first = static_cast<std::uint32_t>(caller.rng.below(n));
      do {
        second = static_cast<std::uint32_t>(caller.rng.below(n));
      } while (second == first);
    }
    const bool swap = score(second, now_us) < score(first, now_us);
    const std::uint32_t best = swap ? second : first;
    servers_[best].node->in_flight.fetch_add(1, std::memory_order_relaxed);
    return {best, now};
  }

  void finish(Caller& caller, const Pending& pending, bool success, Time now) {
    const std::lock_guard<std::mutex> reading(readers_[caller.thread].mutex);
    Node& node = *servers_[find(kFirstId + pending.endpoint)].node;
    node.in_flight.fetch_sub(1, std::memory_order_relaxed);
    const std::int64_t now_us = now.ns() / 1000;
    std::int64_t sample = now_us - pending.start.ns() / 1000;
    if (sample <= 0) return;
    if (!success) {
      const std::int64_t doubled = 2 * node.latency_us.load(std::memory_order_relaxed);
      sample = std::min(std::max({sample, kTimeoutUs, doubled}), kMostPunishUs);
    }
    const std::lock_guard<std::mutex> updating(node.mutex);
    const std::int64_t known = node.latency_us.load(std::memory_order_relaxed);
    std::int64_t value = sample;
    if (known > 0 && sample < known) {
      const double w = kept(now_us - node.stamp_us.load(std::memory_order_relaxed));
      value = static_cast<std::int64_t>(static_cast<double>(known) * w +
                                        static_cast<double>(sample) * (1 - w));
    }
    node.latency_us.store(value, std::memory_order_relaxed);
    node.stamp_us.store(now_us, std::memory_order_relaxed);
  }

  double score(std::uint32_t endpoint, std::int64_t now_us) const {
    const Server& server = servers_[endpoint];
    const std::int64_t known = server.node->latency_us.load(std::memory_order_relaxed);
    const std::int32_t in_flight = server.node->in_flight.load(std::memory_order_relaxed);
    double latency = 1;
    if (known > 0) {
      const std::int64_t stamp = server.node->stamp_us.load(std::memory_order_relaxed);
      latency = std::max(static_cast<double>(known) * kept(now_us - stamp), 1.0);
    }
    return latency * std::max(in_flight + 1, 1) / server.weight;
  }

 private:
  static constexpr double kTauUs = 10e6;
  static constexpr std::int64_t kTimeoutUs = 500'000;  // brpc's default for a call
  static constexpr std::int64_t kMostPunishUs = 30'000'000;
  static constexpr std::uint64_t kFirstId = 0x1'0000'0001;

  struct Node {
    std::atomic<std::int32_t> in_flight{0};
    std::atomic<std::int64_t> latency_us{0};
    std::atomic<std::int64_t> stamp_us{0};
    std::mutex mutex;
  };
  struct Server {
    std::uint64_t id;
    std::uint32_t weight;
    std::shared_ptr<Node> node;
  };
  struct alignas(64) Reader {
    std::mutex mutex;
  };
  struct Entry {
    std::uint64_t id = 0;
    std::uint32_t index = 0;
  };

  static double kept(std::int64_t elapsed_us) {
    return elapsed_us > 0 ? std::exp(-static_cast<double>(elapsed_us) / kTauUs) : 1.0;
  }
  std::size_t hash(std::uint64_t id) const { return id & (table_.size() - 1); }
  std::uint32_t find(std::uint64_t id) const {
    std::size_t at = hash(id);
    while (table_[at].id != id) at = (at + 1) & (table_.size() - 1);
    return table_[at].index;
  }

  std::vector<Reader> readers_;
  std::vector<Server> servers_;
  std::vector<Entry> table_;
};

}  // namespace evener::peers
