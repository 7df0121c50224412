// RealBins: balls placed by the product: a Balancer and one of its policies.
//
// A ball is a pick that is never finished, so an endpoint's requests in flight are its bin's load.
// What these rows show is that the shipped code obeys the theory, not only a model of it. One
// thread. Cost: about 20 ns a ball, and the memory of its ticket (32 bytes).
#pragma once

#include <evener/balancer.h>
#include <evener/rng.h>

#include <cstdint>
#include <vector>

namespace evener::lab::balls {

// `n` equal endpoints, ready to be applied; may be shared between threads.
EndpointSetPtr equal_endpoints(std::size_t n);

// The load of each endpoint after `balls` picks by `policy`. REQUIRES: check_settings(policy).
std::vector<std::uint32_t> place_real(const EndpointSetPtr& set, const PolicySettings& policy,
                                      std::uint64_t balls, Rng& rng);

}  // namespace evener::lab::balls
