// CuckooTable: a hash table of keys with a few possible buckets each, filled until no arrangement
// holds all of them.
//
// Each key may lie in one of `hashes` distinct buckets of `slots` slots. An insertion into full
// buckets moves keys on. Which way is told by labels: each bucket's is a lower bound of the moves
// to an empty slot, keys go where it is least, and it rises when a key moves on (push and relabel).
// When no bucket has some label any more, those above it are cut off from every empty slot: the key
// cannot be placed, by no other arrangement either. So the load at the first failure belongs to the
// table's graph, not to a heuristic. Keys are given by their buckets: no hashing is in the figures.
// Owned by one thread. Cost: O(1) expected below the threshold (a breadth-first search, which is
// also exact, takes a minute for the last percent of a million slots, this a second or two);
// (1 + hashes) x 4 octets a key, 8 a slot.
// Sources: Pagh, Rodler 2004; Dietzfelbinger, Weidling 2007 (slots); Goldberg, Tarjan 1988
// (labels); Khosla 2013 (labels in cuckoo tables).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evener::lab::hashing {

class CuckooTable {
 public:
  // REQUIRES: buckets >= hashes >= 2, slots >= 1, buckets x slots < 2^32 - 1.
  CuckooTable(std::uint32_t buckets, std::uint32_t slots, std::uint32_t hashes);

  // A new key. False: the keys so far and this one cannot all be placed. One of them has no place
  // then, and the table must not be used any more.
  // REQUIRES: `hashes` distinct buckets; no insertion has failed.
  bool insert(std::span<const std::uint32_t> buckets);

  // Keys placed.
  std::size_t size() const { return size_; }
  double load() const { return static_cast<double>(size_) / static_cast<double>(cells_.size()); }
  // Whether `size()` different keys each lie in one of their buckets. O(slots); for tests.
  bool sound() const;

 private:
  std::span<const std::uint32_t> buckets_of(std::uint32_t key) const {
    return {&keys_[std::size_t{key} * hashes_], hashes_};
  }
  std::span<std::uint32_t> cells_of(std::uint32_t bucket) {
    return {&cells_[std::size_t{bucket} * slots_], slots_};
  }
  std::uint32_t nearest_of(std::uint32_t key, std::uint32_t except) const;
  void relabel(std::uint32_t bucket);
  bool cut_off(std::uint32_t label) const;

  std::uint32_t slots_;
  std::uint32_t hashes_;
  std::size_t size_ = 0;
  std::vector<std::uint32_t> cells_;   // key + 1; 0: empty; the full ones first in each bucket
  std::vector<std::uint32_t> keys_;    // hashes_ buckets for each key
  std::vector<std::uint32_t> labels_;  // by bucket; 0: it has an empty slot
  std::vector<std::uint32_t> count_;   // buckets of each label
  std::uint32_t lowest_gap_;           // the least label that no bucket has
};

}  // namespace evener::lab::hashing
