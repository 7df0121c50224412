// EnvoyLeastRequest: the rule of Envoy's LEAST_REQUEST (extensions/load_balancing_policies/
// least_request, main of 2026) for hosts of equal weight and choice_count 2.
//
// Two draws with replacement (a 64-bit number modulo n each); the second is taken only if it has
// strictly fewer active requests. A host's active requests are an atomic of the host, which all
// workers share; each worker draws for itself. Facts: peers-proxies.md 1a, 2.1.
//
// It knows no latency and no errors, so it does less than the EWMA rules: compare it with `p2c`.
// Left out, all to the peer's advantage: copies of shared pointers to hosts, priority and panic
// selection, the host's other statistics, its random generator, the hash policy hooks. Weights,
// where Envoy uses a schedule in a heap instead, are not measured.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "peer.h"

namespace evener::peers {

class EnvoyLeastRequest {
 public:
  using Pending = peers::Pending;

  EnvoyLeastRequest(std::size_t n, std::size_t) {
    for (std::size_t i = 0; i < n; ++i) hosts_.push_back(std::make_unique<Host>());
  }

  Pending pick(Caller& caller, Time now) {
    const auto first = static_cast<std::uint32_t>(caller.rng.u64() % hosts_.size());
    const auto second = static_cast<std::uint32_t>(caller.rng.u64() % hosts_.size());
    const std::uint32_t chosen = active(second) < active(first) ? second : first;
    hosts_[chosen]->active.fetch_add(1);
    return {chosen, now};
  }

  void finish(Caller&, const Pending& pending, bool, Time) {
    hosts_[pending.endpoint]->active.fetch_sub(1);
  }

  std::uint64_t active(std::uint32_t endpoint) const { return hosts_[endpoint]->active.load(); }

 private:
  struct Host {
    std::atomic<std::uint64_t> active{0};
  };

  std::vector<std::unique_ptr<Host>> hosts_;
};

}  // namespace evener::peers
