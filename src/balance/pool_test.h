// A pool of endpoints behind one Balancer, for tests of who may be picked.
#pragma once

#include <evener/balancer.h>

#include <utility>
#include <vector>

#include "balance/conformance.h"

namespace evener {

struct Pool {
  explicit Pool(BalancerOptions options, std::size_t n)
      : balancer(std::move(options)), endpoints(conformance::make_endpoints(n)) {
    apply();
  }

  void apply() { balancer.apply(EndpointSet::make(++version, endpoints).value(), now); }
  void after(Duration d) {
    now = now + d;
    balancer.tick(now);
  }
  std::expected<Ticket, PickError> pick(std::span<const EndpointId> tried = {}) {
    return balancer.pick({.now = now, .tried = tried, .key = {}});
  }
  // Picks the endpoint by naming all others as tried.
  Ticket pick_one(std::size_t wanted) {
    std::vector<EndpointId> tried;
    for (const Endpoint& endpoint : endpoints) {
      if (endpoint.id != EndpointId{wanted}) tried.push_back(endpoint.id);
    }
    return pick(tried).value();
  }
  void answer(std::size_t endpoint, Outcome outcome, int times = 1,
              Duration retry_after = Duration()) {
    for (int i = 0; i < times; ++i) pick_one(endpoint).finish(outcome, now, retry_after);
  }
  std::vector<int> hits(int picks) {
    std::vector<int> out(endpoints.size());
    for (int i = 0; i < picks; ++i) {
      Ticket ticket = pick().value();
      ++out[static_cast<std::size_t>(ticket.id())];
      ticket.finish(Outcome::kRejected, now);
    }
    return out;
  }
  EndpointStatus status(std::size_t endpoint) const {
    std::vector<EndpointStatus> all;
    balancer.snapshot(now, all);
    return all.at(endpoint);
  }

  Balancer balancer;
  std::vector<Endpoint> endpoints;
  std::uint64_t version = 0;
  Time now = Time() + Duration::seconds(100);
};

inline BalancerOptions with_ejection() {
  BalancerOptions options;
  options.ejection.enabled = true;
  options.seed = conformance::seed_from_environment();
  return options;
}

}  // namespace evener
