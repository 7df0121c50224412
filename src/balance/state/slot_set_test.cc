#include "balance/state/slot_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/rng.h"

namespace evener {
namespace {

TEST(SlotSet, AgreesWithAStandardSetAndNeverAllocatesWithinItsSize) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    SlotSet set;
    set.resize(50);
    std::set<std::uint32_t> model;
    for (int i = 0; i < 2000; ++i) {
      const auto slot = static_cast<std::uint32_t>(rng.below(50));
      if (rng.below(2) == 0) {
        EXPECT_EQ(set.add(slot), model.insert(slot).second);
      } else {
        EXPECT_EQ(set.remove(slot), model.erase(slot) == 1);
      }
      if (rng.below(500) == 0) {
        set.clear();
        model.clear();
      }
      std::vector<std::uint32_t> items(set.items().begin(), set.items().end());
      std::ranges::sort(items);
      ASSERT_TRUE(std::ranges::equal(items, model));
    }
  }
}

TEST(SlotSet, ResizeKeepsMembersAndNeverShrinks) {
  SlotSet set;
  set.resize(2);
  set.add(1);
  set.resize(100);
  set.resize(3);
  EXPECT_EQ(set.slots(), 100U);
  EXPECT_TRUE(set.contains(1));
  EXPECT_FALSE(set.contains(99));
}

TEST(SlotSet, GrowsInFewSteps) {
  SlotSet set;
  int moved = 0;
  const std::uint32_t* before = nullptr;
  for (std::uint32_t slot = 0; slot < 5000; ++slot) {
    set.resize(slot + 1);
    set.add(slot);
    moved += set.items().data() != before ? 1 : 0;
    before = set.items().data();
  }
  EXPECT_LE(moved, 20);
}

}  // namespace
}  // namespace evener
