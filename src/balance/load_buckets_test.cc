#include "balance/load_buckets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "balance/conformance.h"

namespace evener {
namespace {

// Random steps, jumps, arrivals and departures beside a plain map.
TEST(LoadBuckets, AgreesWithAMapWhateverHappens) {
  constexpr std::uint32_t kSlots = 24;
  const std::uint64_t seed = conformance::seed_from_environment();
  Rng rng(seed);
  LoadBuckets buckets;
  buckets.reset(kSlots, kSlots);
  std::map<std::uint32_t, std::uint32_t> loads;
  for (int i = 0; i < 100'000; ++i) {
    const auto slot = static_cast<std::uint32_t>(rng.below(kSlots));
    const std::uint64_t die = rng.below(10);
    if (die == 0) {
      buckets.remove(slot);
      loads.erase(slot);
    } else if (die == 1 || !loads.contains(slot)) {
      const std::uint64_t below = rng.below(5) == 0 ? 5000 : 40;  // beyond the window as well
      loads[slot] = static_cast<std::uint32_t>(rng.below(die == 1 ? below : 4));
      buckets.set(slot, loads[slot]);
    } else {
      loads[slot] += die < 6 || loads[slot] == 0 ? 1U : 0xffff'ffffU;
      buckets.set(slot, loads[slot]);
    }
    ASSERT_EQ(buckets.size(), loads.size()) << "EV_SEED=" << seed;
    if (loads.empty()) continue;
    const std::uint32_t least = buckets.least(rng);
    ASSERT_TRUE(loads.contains(least)) << "EV_SEED=" << seed;
    const auto by_load = [](const auto& a, const auto& b) { return a.second < b.second; };
    ASSERT_EQ(loads[least], std::ranges::min_element(loads, by_load)->second) << "EV_SEED=" << seed;
  }
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) buckets.remove(slot);
  EXPECT_TRUE(buckets.empty());
}

// All loads move up by far more than a window, one step at a time, and down again.
TEST(LoadBuckets, TheWindowFollowsTheLeast) {
  constexpr std::uint32_t kSlots = 3;
  Rng rng(1);
  LoadBuckets buckets;
  buckets.reset(kSlots, kSlots);
  std::uint32_t loads[kSlots] = {};
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) buckets.set(slot, 0);
  for (int i = 0; i < 30'000; ++i) {
    const std::uint32_t least = buckets.least(rng);
    ASSERT_EQ(loads[least], *std::ranges::min_element(loads));
    buckets.set(least, ++loads[least]);
  }
  EXPECT_EQ(*std::ranges::max_element(loads), 10'000U);
  for (int i = 0; i < 9'000; ++i) {
    buckets.set(1, --loads[1]);
    ASSERT_EQ(buckets.least(rng), 1U);
  }
}

// As remove and set of each, in one call.
TEST(LoadBuckets, FilledAtOnce) {
  Rng rng(1);
  LoadBuckets buckets;
  buckets.reset(50, 40);
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 5; slot < 45; ++slot) slots.push_back(slot);
  buckets.set(3, 1);
  buckets.fill(slots, [](std::uint32_t slot) { return 9000 - 100 * slot; });
  EXPECT_EQ(buckets.size(), 40U);
  for (std::uint32_t slot = 44; slot >= 5; --slot) {
    EXPECT_EQ(buckets.least(rng), slot);
    buckets.remove(slot);
  }
  EXPECT_TRUE(buckets.empty());
}

TEST(LoadBuckets, EqualsAreDrawnEvenly) {
  Rng rng(conformance::seed_from_environment());
  LoadBuckets buckets;
  buckets.reset(9, 9);
  for (std::uint32_t slot = 0; slot < 9; ++slot) buckets.set(slot, slot < 7 ? 3 : 4);
  std::vector<double> hits(7);
  for (int i = 0; i < 70'000; ++i) hits.at(buckets.least(rng)) += 1;
  EXPECT_LT(conformance::chi_square(hits, std::vector<double>(7, 10'000)),
            conformance::chi_square_bound(6));
}

TEST(LoadBuckets, AsManyLoadsAsSlotsFit) {
  Rng rng(1);
  LoadBuckets buckets;
  buckets.reset(100, 100);
  for (std::uint32_t slot = 0; slot < 100; ++slot) buckets.set(slot, 1000 - 3 * slot);
  for (std::uint32_t slot = 0; slot < 100; ++slot) {
    EXPECT_EQ(buckets.least(rng), 99 - slot);
    buckets.set(99 - slot, 2000 + slot);
  }
}

}  // namespace
}  // namespace evener
