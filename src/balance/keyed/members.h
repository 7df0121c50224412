// KeyedMembers: who takes part in a keyed policy's choice, as plain values to build tables from.
//
// Owned by one policy; the Balancer's thread. update() is O(n) and allocates when the pool has
// grown. It tells whether anything changed, so that a set which brings nothing new builds nothing.
// Also the way out when a request has no key: pick_unkeyed, two choices, no allocation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "balance/pool_view.h"

namespace evener {

struct KeyedMember {
  std::uint64_t id = 0;  // the endpoint's identity: the same in every instance
  double weight = 1;
  std::uint32_t slot = 0;
  std::uint32_t ring_start = 0;  // ketama_start of the endpoint's name

  bool operator==(const KeyedMember&) const = default;
};

class KeyedMembers {
 public:
  // Takes the pool's eligible endpoints; true when they, their weights or their order changed.
  bool update(const PoolView& pool);
  std::span<const KeyedMember> all() const { return now_; }

 private:
  std::vector<KeyedMember> now_;
  std::vector<KeyedMember> next_;
};

// Of two untried endpoints at random, the one with fewer requests in flight per weight: for
// requests that have no key. REQUIRES: at least one eligible endpoint is untried.
std::uint32_t pick_unkeyed(const PoolView& pool, PickContext& context) noexcept;

// The key of a further look for the same key: far from the one before, the same everywhere.
constexpr std::uint64_t further_look(std::uint64_t key, std::uint32_t look) {
  return look == 0 ? key : mix64(key ^ mix64(look));
}

}  // namespace evener
