#include "lab/balls/real.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"

namespace evener::lab::balls {

EndpointSetPtr equal_endpoints(std::size_t n) {
  std::vector<Endpoint> endpoints(n);
  for (std::size_t i = 0; i < n; ++i) {
    endpoints[i].id = static_cast<EndpointId>(i + 1);
    endpoints[i].name = fmt::format("bin-{}", i);
  }
  auto set = EndpointSet::make(1, std::move(endpoints));
  EV_CHECK(set.has_value(), "equal endpoints make a set");
  return *std::move(set);
}

std::vector<std::uint32_t> place_real(const EndpointSetPtr& set, const PolicySettings& policy,
                                      std::uint64_t balls, Rng& rng) {
  Balancer balancer({.policy = policy, .seed = rng.u64()});
  balancer.apply(set, Time());
  std::vector<Ticket> placed;
  placed.reserve(balls);
  std::vector<std::uint32_t> loads(set->size());
  for (std::uint64_t i = 0; i < balls; ++i) {
    auto ticket = balancer.pick({.now = Time()});
    EV_CHECK(ticket.has_value(), "nothing keeps an endpoint from being picked");
    // Their ids are 1 to n in the set's order.
    ++loads[static_cast<std::size_t>(ticket->id()) - 1];
    placed.push_back(*std::move(ticket));
  }
  return loads;
}

}  // namespace evener::lab::balls
