#include "balance/cost_scan.h"

#include <algorithm>
#include <limits>

#include "balance/sampler.h"

namespace evener {
namespace {

constexpr float kNever = std::numeric_limits<float>::infinity();

}  // namespace

void CostScan::reset(std::size_t members) {
  const std::size_t blocks = (members + kBlock - 1) / kBlock;
  bounds_.assign(blocks * kBlock, kNever);
  block_bounds_.assign(blocks, kNever);
  found_.assign(blocks * kBlock, 0);
}

// Returns the block of the least bound.
std::uint32_t CostScan::bound_all(const PoolView& pool) noexcept {
  const auto n = static_cast<std::uint32_t>(pool.eligible.size());
  const auto median = static_cast<float>(pool.model.median);
  const auto floor = static_cast<float>(pool.model.floor);
  // Rounding must not lift a bound above its cost.
  constexpr float kBelow = 1 - 0x1p-20F;
  float least = kNever;
  std::uint32_t least_block = 0;
  for (std::uint32_t begin = 0; begin < n; begin += kBlock) {
    const std::uint32_t end = std::min(begin + kBlock, n);
    float of_block = kNever;
    for (std::uint32_t i = begin; i < end; ++i) {
      const Slot& slot = pool.slots[pool.eligible[i]];
      const float value = slot.latency.known() ? static_cast<float>(slot.latency.value()) : median;
      const float latency = std::max(std::min(value, median), floor) * kBelow;
      const auto load = static_cast<float>(static_cast<std::int32_t>(slot.load()));
      const float bound = latency * load * slot.inverse;
      bounds_[i] = bound;
      of_block = std::min(of_block, bound);
    }
    block_bounds_[begin / kBlock] = of_block;
    least_block = of_block < least ? begin / kBlock : least_block;
    least = std::min(least, of_block);
  }
  return least_block;
}

void CostScan::reckon(const PoolView& pool, Time now, std::uint32_t block) noexcept {
  const std::size_t begin = std::size_t{block} * kBlock;
  const std::size_t end = std::min(begin + kBlock, pool.eligible.size());
  for (std::size_t i = begin; i < end; ++i) {
    if (bounds_[i] > limit_ || bounds_[i] == kNever) continue;
    const Slot& slot = pool.slots[pool.eligible[i]];
    const auto cost = static_cast<float>(pool.model.cost(slot, pool.model.latency(slot, now)));
    bounds_[i] = cost;
    found_[found_count_++] = static_cast<std::uint32_t>(i);
    limit_ = std::min(limit_, cost / static_cast<float>(kClearlyLess));
  }
  block_bounds_[block] = kNever;
}

// Its index in found_.
std::uint32_t CostScan::draw_least(Rng& rng) noexcept {
  std::uint32_t equals = 0;
  std::uint32_t chosen = 0;
  for (std::uint32_t i = 0; i < found_count_; ++i) {
    if (bounds_[found_[i]] > limit_) continue;
    ++equals;
    if (equals == 1 || rng.below(equals) == 0) chosen = i;
  }
  return chosen;
}

std::uint32_t CostScan::least(const PoolView& pool, PickContext& context) noexcept {
  found_count_ = 0;
  limit_ = std::numeric_limits<float>::max();
  const std::uint32_t first = bound_all(pool);
  for (const std::uint32_t position : context.tried_positions) bounds_[position] = kNever;
  reckon(pool, context.now, first);
  const std::size_t blocks = (pool.eligible.size() + kBlock - 1) / kBlock;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    if (block_bounds_[block] <= limit_) reckon(pool, context.now, block);
  }
  const std::uint32_t at = draw_least(context.rng);
  const std::uint32_t chosen = pool.eligible[found_[at]];
  const auto add = [&](std::uint32_t index) {
    const Slot& slot = pool.slots[index];
    const double latency = pool.model.latency(slot, context.now);
    context.trace.add(index, slot, latency, pool.model.cost(slot, latency));
  };
  add(chosen);
  // The later one was reckoned, the nearer it came.
  constexpr std::uint32_t kOthers = 3;
  for (std::uint32_t i = found_count_; i > 0 && context.trace.count <= kOthers; --i) {
    if (i - 1 != at) add(pool.eligible[found_[i - 1]]);
  }
  return chosen;
}

}  // namespace evener
