// PoolView and PickContext: all that a policy sees. Facts and counts to read, luck to draw from.
//
// Both are views into the Core of one Balancer and valid during the call they are passed to.
#pragma once

#include <evener/endpoint.h>
#include <evener/key.h>
#include <evener/policy.h>
#include <evener/rng.h>
#include <evener/time.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "balance/alias_table.h"
#include "balance/slot.h"

namespace evener {

struct PoolView {
  std::span<const Slot> slots;
  std::span<const std::uint32_t> eligible;  // slot indexes, dense; order means nothing
  std::span<const double> weights;          // by slot index
  const AliasTable& by_weight;              // by position in eligible; empty: weights are equal
  const CostModel& model;
  std::uint32_t picks = 0;  // so far, modulo 2^32
  // This worker's tickets out, those of endpoints that are no longer eligible included.
  std::uint64_t in_flight = 0;
  std::span<const Endpoint* const> endpoints = {};  // by slot index, for rebuild
};

// What the last pick compared; kept so that explain() can tell, and cheap to fill.
struct PickTrace {
  static constexpr std::uint32_t kCandidatesMax = kChoicesMax;
  static constexpr std::uint32_t kTriedMax = 8;
  struct Entry {
    std::uint32_t slot;
    std::uint32_t in_flight;
    std::uint32_t elsewhere;
    float inverse;
    double latency_ns;  // 0 when the policy does not look at it
    double cost;        // 0 when the policy has none
  };

  void add(std::uint32_t slot, const Slot& counts, double latency_ns, double cost) {
    if (count == kCandidatesMax) return;
    entries[count++] = {slot, counts.in_flight, counts.elsewhere, counts.inverse, latency_ns, cost};
  }

  Time at;
  std::uint32_t count = 0;
  std::uint32_t chosen = Slot::kNone;
  std::uint32_t tried_count = 0;
  bool probe = false;
  std::array<Entry, kCandidatesMax> entries{};
  std::array<std::uint32_t, kTriedMax> tried{};
};

struct PickContext {
  Time now;
  const std::optional<Key>& key;
  std::span<const std::uint32_t> tried_positions;  // in PoolView::eligible, ascending
  std::span<const std::uint32_t> tried_slots;      // the same endpoints, any order
  Rng& rng;
  PickTrace& trace;

  bool tried(std::uint32_t slot) const {
    for (const std::uint32_t t : tried_slots) {
      if (t == slot) return true;
    }
    return false;
  }
  // The k-th position that was not tried.
  std::uint32_t untried(std::uint32_t k) const {
    for (const std::uint32_t hole : tried_positions) {
      if (k >= hole) ++k;
    }
    return k;
  }
};

}  // namespace evener
