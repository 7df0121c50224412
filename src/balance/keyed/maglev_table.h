// MaglevTable: a table of a prime number of entries, filled by the endpoints in turns, each by its
// own permutation of the entries; so a key's endpoint is one look away and shares are even.
//
// Shares follow weights to an entry or two. When an endpoint leaves, its entries go to the others;
// a few of theirs change hands too (figures in maglev.cc). Every endpoint has an entry while there
// are at least as many entries as endpoints; beyond that some have none.
// Owned by one policy; immutable between builds. build: O(size + n log n) turns, each of about
// ln(size) looks on the average; allocates. Source: Eisenbud et al., Maglev, NSDI 2016,
// section 3.4.
#pragma once

#include <evener/rng.h>

#include <cstdint>
#include <span>
#include <vector>

#include "balance/keyed/members.h"

namespace evener {

class MaglevTable {
 public:
  // REQUIRES: `size` is prime.
  void build(std::span<const KeyedMember> members, std::uint32_t size);

  // Slots by entry; empty when there are no members.
  std::span<const std::uint32_t> entries() const { return entries_; }
  // REQUIRES: entries.
  std::uint32_t slot(std::uint64_t key) const noexcept {
    return entries_[multiply128(key, entries_.size()).high];
  }

 private:
  std::vector<std::uint32_t> entries_;
};

}  // namespace evener
