// RendezvousHash: every endpoint draws a number for the key, and the least wins; so when one
// leaves, only its keys move, each to the endpoint that was its next best.
//
// The number is exponentially distributed with the weight as its rate, which makes shares exactly
// proportional to weights, and a change of one weight moves keys only to or from that endpoint.
// Owned by one policy; immutable between builds. build: O(n), allocates. best: O(n), about 2 ns an
// endpoint; logarithms only of those that may still win. No allocation.
// Source: Thaler and Ravishankar 1998; weights: Schindelhauer and Schomaker 2005.
#pragma once

#include <evener/rng.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "balance/keyed/members.h"

namespace evener {

class RendezvousHash {
 public:
  void build(std::span<const KeyedMember> members);

  // The slots of the N best for the key for which `allowed(slot)` holds, best first; Slot::kNone
  // where there are fewer. Every one but the first is the first once those before it are gone.
  template <std::size_t N, typename Allowed>
  std::array<std::uint32_t, N> best(std::uint64_t key, Allowed&& allowed) const noexcept {
    std::array<std::uint32_t, N> slots;
    std::array<double, N> draws;
    slots.fill(Slot::kNone);
    draws.fill(std::numeric_limits<double>::infinity());
    for (const Item& item : items_) {
      const double share = static_cast<double>(mix64(key ^ item.salt) >> 11) * 0x1.0p-53;
      // -ln(1 - x) is never below x, so most need no logarithm.
      double draw = share * item.scale;
      if (draw >= draws[N - 1] || !allowed(item.slot)) continue;
      if (!equal_) draw = -std::log1p(-share) * item.scale;
      if (draw >= draws[N - 1]) continue;
      std::size_t at = N - 1;
      for (; at > 0 && draw < draws[at - 1]; --at) {
        draws[at] = draws[at - 1];
        slots[at] = slots[at - 1];
      }
      draws[at] = draw;
      slots[at] = item.slot;
    }
    return slots;
  }

 private:
  struct Item {
    std::uint64_t salt;
    double scale;  // 1 / weight
    std::uint32_t slot;
  };
  std::vector<Item> items_;
  bool equal_ = true;  // in weight: then the order of the draws needs no logarithm
};

}  // namespace evener
