// Zones: which zone a request goes to. The local one while it has capacity; elsewhere by load.
//
// Load is what is in flight, this request included, per average endpoint:
//
//     capacity = weight of the zone's usable endpoints / mean weight of all usable endpoints
//     load     = (in flight + 1) / capacity
//     limit    = max(busy, bias x load of all other zones together)
//     spill    = (local load - limit) / limit, within [0, 1]
//
// `spill` is the probability that the request leaves: 0 while the local load is at most `busy`, and
// while the others are hardly better off; rising evenly to 1 at twice the limit; 1 when the local
// zone has no usable endpoint, 0 when no other has. It changes without a jump with every count and
// weight, a zone whose last capacity fades included. Where it goes: to another zone with
// probability in proportion to capacity / (1 + load).
//
// No share of the traffic is fixed beforehand: peers that divide by percentages move traffic out of
// a zone that could serve it, or keep it in one that cannot.
// Pure functions; any thread; O(zones), no allocation. Source: ours; the wish is Envoy's and
// Google's (locality by load), the rule is a proportional controller on the local load.
#pragma once

#include <evener/error.h>
#include <evener/rng.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>

namespace evener {

struct ZoneSettings {
  // Requests in flight per average endpoint up to which the local zone has capacity; in
  // [0.001, 1,000,000]. Half the default limit of in-flight requests per endpoint.
  double busy = 50;
  // Others must be so much less loaded to be worth the way; in [1, 1000].
  double bias = 1.25;

  bool operator==(const ZoneSettings&) const = default;
};

// Checks every range.
std::expected<void, Error> check_settings(const ZoneSettings& settings);

struct ZoneLoad {
  std::uint32_t endpoints = 0;  // usable
  double weight = 0;            // of those
  double in_flight = 0;         // at those, from whomever is known
};

inline constexpr std::size_t kNoZone = static_cast<std::size_t>(-1);

// The probability that a request leaves the zone `local`; 1 if that is kNoZone.
// REQUIRES: weights and counts finite and not negative.
double spill_probability(std::span<const ZoneLoad> zones, std::size_t local,
                         const ZoneSettings& settings) noexcept;

// The zone of one request; kNoZone when none has a usable endpoint.
std::size_t choose_zone(std::span<const ZoneLoad> zones, std::size_t local,
                        const ZoneSettings& settings, Rng& rng) noexcept;

}  // namespace evener
