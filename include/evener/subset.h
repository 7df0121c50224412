// Subset: which of a large pool's endpoints this instance uses, so that connections stay few.
//
// Rendezvous (the default; needs only a seed that differs per instance): the endpoints are ranked
// by a hash of identity and seed, the usable before the others, and the first `size` are taken. One
// endpoint added, removed, failing or recovering changes at most one member (one in, one out). How
// many instances use an endpoint is binomial.
//
// Aperture (when this instance knows that it is number `index` of `count`): endpoints lie on a ring
// in the order of their hash, each with an arc by weight; instances lie on it evenly and take a
// range of the same whole number of instance steps. So every point of the ring is covered by
// equally many instances, and every endpoint is used. The endpoints at the two edges are members
// with the part of their arc that is covered as `share`. All geometry is in integers.
//
// A size below 12 is taken as 12: in smaller sets a choice of two cannot honour a fractional share
// at the edge, and whole subsets die. While members of an aperture are not usable, its range is
// widened until as many are. Control plane only: any thread, O(n log n), allocates.
// Source: gRPC A68; Finagle's deterministic aperture (doc/src/sphinx/ApertureLoadBalancers).
#pragma once

#include <evener/endpoint.h>
#include <evener/error.h>

#include <cstdint>
#include <expected>
#include <span>
#include <vector>

namespace evener {

inline constexpr std::uint32_t kSubsetLeast = 12;
inline constexpr std::uint32_t kInstancesMax = 1U << 20;

struct SubsetSettings {
  std::uint32_t size = 0;   // 0: all endpoints; at most 1,000,000
  std::uint64_t seed = 0;   // rendezvous: give each instance its own
  std::uint32_t index = 0;  // aperture: this instance's number, below count
  std::uint32_t count = 0;  // aperture: instances, at most kInstancesMax; 0: rendezvous

  bool operator==(const SubsetSettings&) const = default;
};

// Checks every range.
std::expected<void, Error> check_settings(const SubsetSettings& settings);

struct SubsetMember {
  std::uint32_t endpoint = 0;  // index in what was given
  double share = 1;            // of its weight, in (0, 1]; below 1 only at an aperture's edges

  bool operator==(const SubsetMember&) const = default;
};

// The members in the order of the endpoints given; all of them when size is 0 or not below their
// number. Usable is who is up and not draining. The order of the endpoints does not matter, and
// instances that are given the same endpoints agree. REQUIRES: check_settings(settings) succeeds.
std::vector<SubsetMember> choose_subset(std::span<const Endpoint> endpoints,
                                        const SubsetSettings& settings);

}  // namespace evener
