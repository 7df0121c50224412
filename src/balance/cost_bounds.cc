#include "balance/cost_bounds.h"

#include <algorithm>
#include <array>
#include <limits>

#include "balance/sampler.h"

namespace evener {
namespace {

constexpr float kWithin = static_cast<float>(1 / kClearlyLess);

// Whatever it is, it is less than kNever.
float finite(double cost) { return static_cast<float>(std::min(cost, 1e38)); }

}  // namespace

void CostBounds::rebuild(const PoolView& pool) {
  const std::size_t size = (pool.slots.size() + kLanes - 1) / kLanes * kLanes;
  values_.assign(size, kNever);
  stamps_.assign(size, 0);
  units_.assign(size, kNever);
  bounds_.assign(size, kNever);
  for (const std::uint32_t slot : pool.members) changed(pool, slot);
}

// Returns the least. This and the next two are written for the compiler to turn into vector
// instructions.
float CostBounds::bound_all(const CostModel& model, Time now) noexcept {
  const Common common(model, now);
  const float* const values = values_.data();
  const float* const units = units_.data();
  const std::uint32_t* const stamps = stamps_.data();
  float* const bounds = bounds_.data();
  const std::size_t size = bounds_.size();
  for (std::size_t i = 0; i < size; ++i) {
    bounds[i] = common.latency(values[i], stamps[i]) * units[i];
  }
  return least_bound();
}

float CostBounds::least_bound() const noexcept {
  const float* const bounds = bounds_.data();
  const std::size_t size = bounds_.size();
  std::array<float, kLanes> least;
  least.fill(kNever);
  for (std::size_t i = 0; i < size; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      least[lane] = bounds[i + lane] < least[lane] ? bounds[i + lane] : least[lane];
    }
  }
  return *std::ranges::min_element(least);
}

// One of those whose bound is no higher, evenly: first its lane, then where in it.
std::uint32_t CostBounds::draw_below(float limit, Rng& rng) const noexcept {
  const float* const bounds = bounds_.data();
  const std::size_t size = bounds_.size();
  std::array<std::uint32_t, kLanes> counts{};
  for (std::size_t i = 0; i < size; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      counts[lane] += bounds[i + lane] <= limit ? 1 : 0;
    }
  }
  std::uint32_t all = 0;
  for (const std::uint32_t count : counts) all += count;
  auto rank = static_cast<std::uint32_t>((rng.u64() >> 32) * all >> 32);
  std::size_t at = 0;
  while (rank >= counts[at]) rank -= counts[at++];
  for (;; at += kLanes) {
    if (bounds_[at] <= limit && rank-- == 0) return static_cast<std::uint32_t>(at);
  }
}

// The costs themselves, of those that may be among the least.
void CostBounds::reckon_all(const PoolView& pool, Time now) noexcept {
  float limit = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    if (bounds_[i] > limit) continue;
    const Slot& slot = pool.slots[i];
    bounds_[i] = finite(pool.model.cost(slot, pool.model.latency(slot, now)));
    limit = std::min(limit, bounds_[i] * kWithin);
  }
}

std::uint32_t CostBounds::least(const PoolView& pool, PickContext& context) noexcept {
  // When most are slower than their bounds tell (all of them hang, say), costs are cheaper.
  constexpr int kDraws = 4;
  float least = bound_all(pool.model, context.now);
  if (!context.tried_slots.empty()) {
    for (const std::uint32_t slot : context.tried_slots) bounds_[slot] = kNever;
    least = least_bound();
  }
  for (int draw = 0;; ++draw) {
    const float limit = std::min(least * kWithin, std::numeric_limits<float>::max());
    const std::uint32_t slot = draw_below(limit, context.rng);
    const Slot& counts = pool.slots[slot];
    const double latency = pool.model.latency(counts, context.now);
    const double cost = pool.model.cost(counts, latency);
    context.trace.add(slot, counts, latency, cost);
    if (finite(cost) <= limit || draw > kDraws) return slot;
    bounds_[slot] = finite(cost);
    if (draw == kDraws) reckon_all(pool, context.now);
    least = least_bound();
  }
}

}  // namespace evener
