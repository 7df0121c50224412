// Reprobe: whether an endpoint that lost its comparisons got nothing for so long that it is looked
// at again, so that its recovery is seen.
//
// Nothing for `reprobe` *and* for 8 n picks, and nothing in flight. So a dead endpoint costs at
// most one request in 8 n (an eighth of its fair share) and one per `reprobe`. A value; one thread.
#pragma once

#include "balance/pool_view.h"

namespace evener {

class Reprobe {
 public:
  explicit Reprobe(Duration after) : after_((after.ns() >> 27) + 1) {}

  bool due(const PoolView& pool, const Slot& slot, Time now) const {
    const auto idle = static_cast<std::uint16_t>(coarse_time(now) - slot.touched);
    return idle >= after_ && slot.in_flight == 0 &&
           static_cast<std::uint32_t>(pool.picks) - slot.picked_at >= 8 * pool.eligible.size();
  }

 private:
  std::int64_t after_;  // in units of coarse_time
};

}  // namespace evener
