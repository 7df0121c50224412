#include "lab/hashing/cuckoo.h"

#include <evener/rng.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace evener::lab::hashing {
namespace {

std::vector<std::uint32_t> distinct(std::uint32_t buckets, std::uint32_t hashes, Rng& rng) {
  std::vector<std::uint32_t> out;
  while (out.size() < hashes) {
    const auto bucket = static_cast<std::uint32_t>(rng.below(buckets));
    if (std::ranges::find(out, bucket) == out.end()) out.push_back(bucket);
  }
  return out;
}

// The plainest exact answer: augmenting paths by depth-first search, each slot a place of its own.
class Matching {
 public:
  Matching(std::uint32_t buckets, std::uint32_t slots) : slots_(slots), place_(buckets * slots) {}

  bool insert(const std::vector<std::uint32_t>& buckets) {
    keys_.push_back(buckets);
    seen_.assign(place_.size(), false);
    return augment(keys_.size());
  }

 private:
  bool augment(std::size_t key) {
    for (const std::uint32_t bucket : keys_[key - 1]) {
      for (std::uint32_t slot = bucket * slots_; slot < (bucket + 1) * slots_; ++slot) {
        if (seen_[slot]) continue;
        seen_[slot] = true;
        if (place_[slot] == 0 || augment(place_[slot])) {
          place_[slot] = key;
          return true;
        }
      }
    }
    return false;
  }

  std::uint32_t slots_;
  std::vector<std::size_t> place_;
  std::vector<std::vector<std::uint32_t>> keys_;
  std::vector<bool> seen_;
};

// Fills small tables to failure: the first key that cannot be placed is the same for both.
TEST(Cuckoo, fails_exactly_when_no_arrangement_exists) {
  Rng rng(7);
  for (int trial = 0; trial < 400; ++trial) {
    const auto buckets = static_cast<std::uint32_t>(4 + rng.below(40));
    const auto slots = static_cast<std::uint32_t>(1 + rng.below(4));
    const auto hashes = static_cast<std::uint32_t>(2 + rng.below(2));
    CuckooTable table(buckets, slots, hashes);
    Matching matching(buckets, slots);
    for (bool placed = true; placed;) {
      const auto key = distinct(buckets, hashes, rng);
      placed = table.insert(key);
      ASSERT_EQ(placed, matching.insert(key))
          << "key " << table.size() << " of " << buckets << " x " << slots << ", " << hashes;
      ASSERT_TRUE(table.sound());
    }
  }
}

}  // namespace
}  // namespace evener::lab::hashing
