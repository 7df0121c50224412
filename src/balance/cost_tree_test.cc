#include "balance/cost_tree.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "balance/conformance.h"

namespace evener {
namespace {

TEST(CostTree, AgreesWithASearchWhateverHappens) {
  const std::uint64_t seed = conformance::seed_from_environment();
  Rng rng(seed);
  for (const std::uint32_t n : {1U, 2U, 3U, 16U, 17U, 100U}) {
    std::vector<std::uint32_t> members(n);
    for (std::uint32_t i = 0; i < n; ++i) members[i] = 5 + 2 * i;
    CostTree tree;
    tree.reset(members, 5 + 2 * n);
    EXPECT_TRUE(tree.empty());
    std::vector<float> costs(5 + 2 * n, CostTree::kOut);
    for (const std::uint32_t slot : members) costs[slot] = static_cast<float>(1 + rng.below(5));
    tree.fill(members, [&](std::uint32_t slot) { return costs[slot]; });
    for (int i = 0; i < 5000; ++i) {
      const std::uint32_t slot = members[rng.below(n)];
      costs[slot] =
          rng.below(4) == 0 ? CostTree::kOut : static_cast<float>(1 + rng.below(5)) * 0.25F;
      tree.set(slot, costs[slot]);
      const float least = *std::ranges::min_element(costs);
      ASSERT_EQ(tree.empty(), least == CostTree::kOut) << n << " EV_SEED=" << seed;
      if (!tree.empty()) ASSERT_EQ(costs[tree.least(rng)], least) << n << " EV_SEED=" << seed;
    }
  }
}

TEST(CostTree, EqualsAreDrawnEvenly) {
  Rng rng(conformance::seed_from_environment());
  std::vector<std::uint32_t> members = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  CostTree tree;
  tree.reset(members, 11);
  tree.fill(members, [](std::uint32_t slot) { return slot % 3 == 0 ? 2.0F : 1.0F; });
  std::vector<double> hits(11);
  std::vector<double> expected(11);
  for (std::uint32_t slot = 0; slot < 11; ++slot) expected[slot] = slot % 3 == 0 ? 0 : 10'000;
  for (int i = 0; i < 70'000; ++i) hits.at(tree.least(rng)) += 1;
  for (std::uint32_t slot = 0; slot < 11; slot += 3) EXPECT_EQ(hits[slot], 0);
  EXPECT_LT(conformance::chi_square(hits, expected), conformance::chi_square_bound(6));
}

}  // namespace
}  // namespace evener
