// many_costs: CostModel's costs of some endpoints at once, without a branch that luck decides.
//
// One endpoint's cost asks whether its estimate is old, above the median, or below its requests'
// age; of eight drawn at random that is two dozen guesses, and a wrong one costs as much as a cost.
// Here all is reckoned, two by two where the processor can, and the larger taken. Stateless. Cost:
// about 45 instructions an endpoint.
#pragma once

#include <cstdint>
#include <span>

#include "balance/pool_view.h"

namespace evener {

// Reckons candidates `slots` at `now` and traces them; returns the place in `slots` of the first
// whose cost is within 1/128 of the least. REQUIRES: 1 <= slots.size() <=
// PickTrace::kCandidatesMax.
std::uint32_t least_of_many(const PoolView& pool, Time now, std::span<const std::uint32_t> slots,
                            PickTrace& trace) noexcept;

}  // namespace evener
