// CostBounds: the endpoint of least cost (CostModel) of all, with hardly a look at any.
//
// It keeps for each member what bounds its cost from below: load / weight, and the estimate, as far
// as it may have decayed. A pick compares bounds, twelve bytes an endpoint where a slot has 64,
// draws one evenly of those within 1/128 of the least, and reckons only that one's cost: if it is
// within 1/128 as well, nobody's is less, and it is taken; else its bound is its cost from then on
// and the comparison goes on. Kept up to date from Policy::changed. Owned by one policy and its
// thread; only rebuild allocates. Cost: O(n), about half a ns an endpoint.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "balance/pool_view.h"

namespace evener {

class CostBounds {
 public:
  void rebuild(const PoolView& pool);
  // The member's load, cost factor or eligibility changed.
  void changed(const PoolView& pool, std::uint32_t slot) noexcept {
    const Slot& counts = pool.slots[slot];
    const bool in = pool.barred[slot] == 0;
    const float unit = static_cast<float>(counts.load()) * counts.inverse * kBelow;
    units_[slot] = in ? std::min(unit, kMost) : kNever;
    // Of an unknown one the median is believed.
    values_[slot] = counts.latency.known() ? static_cast<float>(counts.latency.value()) : kNever;
    stamps_[slot] = coarse(counts.latency.stamp());
  }

  // The least of all that were not tried. Traced: those reckoned, the last of which it is.
  // REQUIRES: one is eligible and untried.
  std::uint32_t least(const PoolView& pool, PickContext& context) noexcept;

 private:
  static constexpr float kNever = std::numeric_limits<float>::infinity();
  // Rounding must not lift a bound above its cost.
  static constexpr float kBelow = 1 - 0x1p-20F;
  // Beyond what latencies and loads are, and its square is a float.
  static constexpr float kMost = 1e18F;
  static constexpr std::size_t kLanes = 8;

  // What does not change during a pick.
  struct Common {
    Common(const CostModel& model, Time at)
        : median(static_cast<float>(std::min(model.median, double{kMost}))),
          floor(static_cast<float>(std::min(model.floor, double{kMost}))),
          now(coarse(at)),
          lost_per_unit(static_cast<float>(
              model.decay.elapsed(Duration::nanoseconds(std::int64_t{1} << kCoarse)))) {}
    // No latency that the model tells is lower: e^-x >= 1 - x. After 26 days an age begins anew;
    // Reprobe looks at whom that hides.
    float latency(float value, std::uint32_t stamp) const {
      const auto age = static_cast<std::int32_t>((now - stamp + 1) & 0x7fff'ffff);
      const float left = 1 - static_cast<float>(age) * lost_per_unit;
      const float kept = left > 0 ? left : 0;
      const float finite = value < kMost ? value : median;
      const float excess = (finite - median) * kept;
      const float high = median + excess;
      const float known = finite < median ? finite : high;
      return known > floor ? known : floor;
    }
    float median;  // ns, as the next
    float floor;
    std::uint32_t now;
    float lost_per_unit;
  };
  // Units of a millisecond or so, modulo 2^32.
  static constexpr int kCoarse = 20;
  static std::uint32_t coarse(Time time) {
    return static_cast<std::uint32_t>(time.ns() >> kCoarse);
  }

  float bound_all(const CostModel& model, Time now) noexcept;
  float least_bound() const noexcept;
  std::uint32_t draw_below(float limit, Rng& rng) const noexcept;
  void reckon_all(const PoolView& pool, Time now) noexcept;

  std::vector<float> values_;          // by slot: estimate, ns
  std::vector<std::uint32_t> stamps_;  // by slot: coarse time of the last sample
  std::vector<float> units_;           // by slot: load / (weight x warmup x success)
  std::vector<float> bounds_;          // by slot, of one pick; whole lanes, as the other two
};

}  // namespace evener
