// Sampler: distinct endpoints drawn at random among the eligible that were not tried.
//
// Even draws when weights are equal, else in proportion to weight, one after the other without
// replacement. Two even draws cost one 64-bit number, split (bias below n / 2^32); the second skips
// the first by the hole method, so no draw is ever repeated. The order of the candidates is random
// too: taking the first of equals breaks ties fairly. No allocation. O(choices^2), with a constant
// that only shows beyond 16.
#pragma once

#include <array>
#include <cstdint>

#include "balance/pool_view.h"

namespace evener {

// Costs closer than this are equal: the first drawn wins, and the order of draws is random.
inline constexpr double kClearlyLess = 127.0 / 128;

struct Candidates {
  std::uint32_t count = 0;
  std::array<std::uint32_t, kChoicesMax> slot;
};

// min(choices, untried) distinct candidates. With one left the generator is not used.
// REQUIRES: at least one eligible endpoint is untried; 1 <= choices <= kChoicesMax.
void draw_candidates(const PoolView& pool, PickContext& context, std::uint32_t choices,
                     Candidates& out) noexcept;

// Two distinct positions below n, from one number. REQUIRES: n >= 2.
struct PairOfPositions {
  std::uint64_t first;
  std::uint64_t second;
};
inline PairOfPositions pair_of(std::uint64_t bits, std::uint64_t n) {
  const std::uint64_t a = (bits >> 32) * n >> 32;
  const std::uint64_t b = (bits & 0xffff'ffff) * (n - 1) >> 32;
  return {a, b + (b >= a ? 1 : 0)};
}

// The usual draw, in line: two even ones of three or more, nothing tried. False, and nothing drawn,
// when it is not that. REQUIRES: weights are equal.
inline bool draw_even_pair(const PoolView& pool, PickContext& context, std::uint32_t& first,
                           std::uint32_t& second) noexcept {
  const std::uint64_t n = pool.eligible.size();
  if (n < 3 || !context.tried_positions.empty()) return false;
  const PairOfPositions at = pair_of(context.rng.u64(), n);
  first = pool.eligible[at.first];
  second = pool.eligible[at.second];
  return true;
}

// Fetches what draw_even_pair() will look at next time, and where it finds that the time after, if
// the pool is too large for a cache: a pick then need not wait for memory. Only a hint: nothing is
// drawn, and what comes between may make it another pair.
inline void expect_even_pair(const PoolView& pool, const Rng& rng) noexcept {
  constexpr std::size_t kLarge = std::size_t{1} << 15;  // 2 MiB of slots
  const std::uint64_t n = pool.eligible.size();
  if (n < kLarge) [[likely]]
    return;
  Rng ahead = rng;
  const PairOfPositions next = pair_of(ahead.u64(), n);
  __builtin_prefetch(&pool.slots[pool.eligible[next.first]]);
  __builtin_prefetch(&pool.slots[pool.eligible[next.second]]);
  const PairOfPositions later = pair_of(ahead.u64(), n);
  __builtin_prefetch(&pool.eligible[later.first]);
  __builtin_prefetch(&pool.eligible[later.second]);
}

// The same whatever the weights: false when they differ.
inline bool draw_pair(const PoolView& pool, PickContext& context, std::uint32_t& first,
                      std::uint32_t& second) noexcept {
  return pool.by_weight.empty() && draw_even_pair(pool, context, first, second);
}

// The candidate of least cost, costs within 1/128 being equal. `cost(slot_index, slot)` records
// itself in the trace and returns a finite number > 0.
template <typename Cost>
std::uint32_t least_cost(const PoolView& pool, const Candidates& candidates, Cost&& cost) {
  std::uint32_t best = candidates.slot[0];
  double best_cost = cost(best, pool.slots[best]);
  for (std::uint32_t i = 1; i < candidates.count; ++i) {
    const std::uint32_t slot = candidates.slot[i];
    const double c = cost(slot, pool.slots[slot]);
    if (c < best_cost * kClearlyLess) {
      best = slot;
      best_cost = c;
    }
  }
  return best;
}

}  // namespace evener
