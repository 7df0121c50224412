// PoolView and PickContext: all that a policy sees. Facts and counts to read, luck to draw from.
//
// Both are views into the Core of one Balancer and valid during the call they are passed to.
#pragma once

#include <evener/endpoint.h>
#include <evener/key.h>
#include <evener/policy.h>
#include <evener/rng.h>
#include <evener/time.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "balance/alias_table.h"
#include "balance/slot.h"

namespace evener {

// Why an endpoint that is up is out of the choice for now: bits of PoolView::barred.
enum Bar : std::uint8_t { kBarEjected = 1, kBarPushback = 2, kBarFull = 4 };

struct PoolView {
  std::span<const Slot> slots = {};
  // Slot indexes of what is up and not draining, in the set's order: what rebuild builds on.
  std::span<const std::uint32_t> members = {};
  // The members that are not barred, and those that are. Their order means nothing, and changes as
  // they go from one list to the other.
  std::span<const std::uint32_t> eligible = {};
  std::span<const std::uint32_t> out = {};
  std::span<const std::uint8_t> barred = {};  // by slot index; 0: eligible, if a member
  std::span<const float> warmth = {};         // by slot index: the warm-up factor, 1 when warm
  std::span<const double> weights = {};       // by slot index
  const AliasTable& by_weight;                // draws an index into members; empty: equal weights
  const CostModel& model;
  std::uint64_t picks = 0;                          // so far
  std::uint32_t warming = 0;                        // members whose warmth is below 1
  std::uint64_t ended = 0;                          // of those picks
  std::span<const Endpoint* const> endpoints = {};  // by slot index, for rebuild
  std::span<const std::uint32_t> columns = {};      // by slot index: in the set, or kNone

  // This worker's tickets out, those of endpoints that are no longer eligible included.
  std::uint64_t in_flight() const { return picks - ended; }

  // Whether a policy that is blind to load should pass over the slot this time, so that one which
  // warms up gets its part of a share.
  bool passes_cold(std::uint32_t slot, Rng& rng) const {
    if (warming == 0 || warmth[slot] >= 1) return false;
    return rng.uniform01() >= static_cast<double>(warmth[slot]);
  }
};

// What the last pick compared; kept so that explain() can tell, and cheap to fill.
struct PickTrace {
  static constexpr std::uint32_t kCandidatesMax = 16;
  // What decided.
  enum class How : std::uint32_t {
    kPolicy,  // the least cost, or the policy's schedule
    kProbe,   // costlier, to hear from it again
    kTrial,   // ejected, and this request tells whether it is well again
    kWarmUp,  // its part of a share while it warms up
    kPanic,   // nothing was eligible
  };

  static constexpr std::uint32_t kTriedMax = 8;
  // What else there is to tell of a candidate is read when somebody asks: it hardly ever changes.
  struct Entry {
    std::uint32_t slot;
    std::uint32_t load;
    double latency_ns;  // 0 when the policy does not look at it
    double cost;        // 0 when the policy has none
  };

  void begin(Time now) {
    at = now;
    count = 0;
    chosen = Slot::kNone;
    tried_count = 0;
    how = How::kPolicy;
  }
  void add(const Entry& entry) {
    if (count == kCandidatesMax) return add_to_full(entry);
    set(count++, entry);
  }
  void add(std::uint32_t index, const Slot& counts, double latency, double its_cost) {
    add({index, counts.load(), latency, its_cost});
  }
  // The only one, and the only two.
  void set_one(const Entry& only) {
    set(0, only);
    count = 1;
  }
  void set_pair(const Entry& first, const Entry& second) {
    set(0, first);
    set(1, second);
    count = 2;
  }
  void set(std::uint32_t i, const Entry& entry) {
    slot[i] = entry.slot;
    load[i] = entry.load;
    latency_ns[i] = entry.latency_ns;
    cost[i] = entry.cost;
  }
  Entry entry(std::uint32_t i) const { return {slot[i], load[i], latency_ns[i], cost[i]}; }

  // Keeps those of least cost; of equals the first.
  void add_to_full(const Entry& entry) {
    const auto costliest = std::ranges::max_element(cost);
    if (entry.cost < *costliest) set(static_cast<std::uint32_t>(costliest - cost.begin()), entry);
  }

  Time at;
  // In this order begin() is two stores.
  std::uint32_t count = 0;
  std::uint32_t tried_count = 0;
  How how = How::kPolicy;
  std::uint32_t chosen = Slot::kNone;
  // By candidate: the entries, field by field.
  std::array<std::uint32_t, kCandidatesMax> slot{};
  std::array<std::uint32_t, kCandidatesMax> load{};
  std::array<double, kCandidatesMax> latency_ns{};
  std::array<double, kCandidatesMax> cost{};
  std::array<std::uint32_t, kTriedMax> tried{};
};

struct PickContext {
  Time now;
  const std::optional<Key>* request_key;
  std::span<const std::uint32_t> tried_positions;  // in PoolView::eligible, ascending
  std::span<const std::uint32_t> tried_slots;      // the same endpoints, any order
  std::span<const std::uint8_t> barred;            // PoolView::barred
  Rng& rng;
  PickTrace& trace;

  const std::optional<Key>& key() const { return *request_key; }
  // Whether a member must not be picked: it was tried, or is barred.
  bool excluded(std::uint32_t slot) const {
    if (barred[slot] != 0) return true;
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
