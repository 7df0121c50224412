// CostScan: the eligible endpoint of least cost (CostModel) of all, in one walk.
//
// The walk reckons a bound that no cost is below, without a branch: the estimate as far as it could
// have decayed, and no age. Only where the bound is no higher than the best cost so far is the cost
// itself reckoned, for a few of a hundred. Of costs within 1/128 of the least, one is drawn evenly.
// O(n), about 1 ns an endpoint. Owned by one policy and its thread; only reset allocates.
#pragma once

#include <cstdint>
#include <vector>

#include "balance/pool_view.h"

namespace evener {

class CostScan {
 public:
  // Room for so many eligible endpoints.
  void reset(std::size_t members);

  // Fills the trace: the least first, then a few that came near. REQUIRES: one is untried.
  std::uint32_t least(const PoolView& pool, PickContext& context) noexcept;

 private:
  static constexpr std::uint32_t kBlock = 8;

  std::uint32_t bound_all(const PoolView& pool) noexcept;
  void reckon(const PoolView& pool, Time now, std::uint32_t block) noexcept;
  std::uint32_t draw_least(Rng& rng) noexcept;

  std::vector<float> bounds_;         // by position in PoolView::eligible, whole blocks
  std::vector<float> block_bounds_;   // the least of each block
  std::vector<std::uint32_t> found_;  // positions whose cost was reckoned, and is their bound now
  std::uint32_t found_count_ = 0;
  float limit_ = 0;  // costs above are not among the least
};

}  // namespace evener
