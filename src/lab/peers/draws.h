// Draws: how the peers' rules draw candidates. Pure but for the luck; O(1) unless said.
#pragma once

#include <evener/rng.h>

#include <cstdint>
#include <span>
#include <utility>

namespace evener::lab::peers {

using Slots = std::span<const std::uint32_t>;
using SlotPair = std::pair<std::uint32_t, std::uint32_t>;

inline std::uint32_t draw_one(Slots open, Rng& rng) {
  return open.size() == 1 ? open[0] : open[rng.below(open.size())];
}

// Two distinct ones, each ordered pair as likely as any other. REQUIRES: at least two.
inline SlotPair draw_distinct(Slots open, Rng& rng) {
  const std::uint64_t first = rng.below(open.size());
  const std::uint64_t second = rng.below(open.size() - 1);
  return {open[first], open[second >= first ? second + 1 : second]};
}

// Two that may be the same.
inline SlotPair draw_two(Slots open, Rng& rng) {
  const std::uint32_t first = open[rng.below(open.size())];
  return {first, open[rng.below(open.size())]};
}

// Two draws; if they collide the second is the next in order, so neighbours meet twice as often as
// others. REQUIRES: at least two.
inline SlotPair draw_neighbourly(Slots open, Rng& rng) {
  const std::uint64_t first = rng.below(open.size());
  std::uint64_t second = rng.below(open.size());
  if (second == first) second = (second + 1) % open.size();
  return {open[first], open[second]};
}

// One in proportion to weight(slot). O(open).
template <typename Weight>
std::uint32_t draw_weighted(Slots open, Rng& rng, Weight&& weight) {
  double total = 0;
  for (const std::uint32_t slot : open) total += weight(slot);
  double dice = rng.uniform01() * total;
  for (const std::uint32_t slot : open) {
    dice -= weight(slot);
    if (dice < 0) return slot;
  }
  return open.back();
}

}  // namespace evener::lab::peers
