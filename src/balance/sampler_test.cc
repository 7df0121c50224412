#include "balance/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "balance/conformance.h"

namespace evener {
namespace {

// A pool of n idle slots with the given weights (none: equal), some of them tried.
struct Pool {
  explicit Pool(std::vector<double> w, std::vector<std::uint32_t> tried_at = {})
      : weights(std::move(w)), slots(weights.size()), eligible(weights.size()), tried(tried_at) {
    std::iota(eligible.begin(), eligible.end(), 0U);
    table.build(weights);
  }

  Candidates draw(std::uint32_t choices) {
    const std::vector<std::uint8_t> barred(slots.size());
    const PoolView view{.slots = slots,
                        .members = eligible,
                        .eligible = eligible,
                        .barred = barred,
                        .weights = weights,
                        .by_weight = table,
                        .model = model};
    const std::optional<Key> no_key;
    PickContext context{Time(), &no_key, tried, tried, barred, rng, trace};
    Candidates out;
    draw_candidates(view, context, choices, out);
    return out;
  }

  std::vector<double> weights;
  std::vector<Slot> slots;
  std::vector<std::uint32_t> eligible;
  std::vector<std::uint32_t> tried;
  AliasTable table;
  CostModel model{Duration::seconds(1), Duration::nanoseconds(1), Duration::milliseconds(1)};
  Rng rng{conformance::seed_from_environment()};
  PickTrace trace;
};

TEST(Sampler, accept_T02_OrderedPairsAreUniform) {
  constexpr std::size_t kN = 7;
  constexpr int kDraws = 84'000;
  Pool pool(std::vector<double>(kN, 1));
  std::vector<double> hits(kN * kN);
  for (int i = 0; i < kDraws; ++i) {
    const Candidates c = pool.draw(2);
    ASSERT_EQ(c.count, 2U);
    ASSERT_NE(c.slot[0], c.slot[1]);
    hits[c.slot[0] * kN + c.slot[1]] += 1;
  }
  std::vector<double> expected(kN * kN, kDraws / 42.0);
  for (std::size_t i = 0; i < kN; ++i) expected[i * kN + i] = 0;
  EXPECT_LT(conformance::chi_square(hits, expected), conformance::chi_square_bound(41));
}

TEST(Sampler, ManyChoicesAreDistinctAndEvenWithAndWithoutTried) {
  for (const std::vector<std::uint32_t>& tried :
       {std::vector<std::uint32_t>{}, std::vector<std::uint32_t>{0, 3, 11}}) {
    for (const std::uint32_t choices : {1U, 2U, 3U, 5U, 8U, 16U}) {
      Pool pool(std::vector<double>(12, 1), tried);
      const std::size_t left = 12 - tried.size();
      const std::size_t wanted = std::min<std::size_t>(choices, left);
      std::vector<double> hits(12);
      std::vector<double> first(12);
      for (int i = 0; i < 20'000; ++i) {
        const Candidates c = pool.draw(choices);
        ASSERT_EQ(c.count, wanted);
        std::set<std::uint32_t> seen;
        for (std::uint32_t k = 0; k < c.count; ++k) {
          hits[c.slot[k]] += 1;
          seen.insert(c.slot[k]);
        }
        ASSERT_EQ(seen.size(), wanted);
        first[c.slot[0]] += 1;
      }
      const auto n = static_cast<double>(left);
      std::vector<double> expected(12, 20'000 / n);
      std::vector<double> expected_all(12, 20'000 * static_cast<double>(wanted) / n);
      for (const std::uint32_t t : tried) {
        EXPECT_EQ(hits[t], 0);
        expected[t] = 0;
        expected_all[t] = 0;
      }
      EXPECT_LT(conformance::chi_square(first, expected), conformance::chi_square_bound(left - 1));
      EXPECT_LT(conformance::chi_square(hits, expected_all),
                conformance::chi_square_bound(left - 1));
    }
  }
}

TEST(Sampler, FewOfManyAreDistinctAndEven) {
  Pool pool(std::vector<double>(100, 1), {7, 8, 60});
  std::vector<double> hits(100);
  std::vector<double> last(100);
  std::vector<double> expected(100, 20'000.0 * 5 / 97);
  std::vector<double> expected_last(100, 20'000.0 / 97);
  for (const std::uint32_t t : {7U, 8U, 60U}) expected[t] = expected_last[t] = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Candidates c = pool.draw(5);
    ASSERT_EQ(c.count, 5U);
    for (std::uint32_t k = 0; k < 5; ++k) hits[c.slot[k]] += 1;
    last[c.slot[4]] += 1;
    const std::set<std::uint32_t> distinct(c.slot.begin(), c.slot.begin() + 5);
    ASSERT_EQ(distinct.size(), 5U);
  }
  for (const std::uint32_t t : {7U, 8U, 60U}) EXPECT_EQ(hits[t], 0);
  EXPECT_LT(conformance::chi_square(hits, expected), conformance::chi_square_bound(96));
  EXPECT_LT(conformance::chi_square(last, expected_last), conformance::chi_square_bound(96));
}

TEST(Sampler, WeightedDrawsFollowTheWeights) {
  const std::vector<double> weights = {1, 2, 4, 0.5, 10};
  Pool pool(weights);
  constexpr int kDraws = 50'000;
  std::vector<double> hits(5);
  for (int i = 0; i < kDraws; ++i) {
    const Candidates c = pool.draw(2);
    ASSERT_NE(c.slot[0], c.slot[1]);
    hits[c.slot[0]] += 1;
  }
  std::vector<double> expected;
  for (const double w : weights) expected.push_back(kDraws * w / 17.5);
  EXPECT_LT(conformance::chi_square(hits, expected), conformance::chi_square_bound(4));
}

TEST(Sampler, OneOverwhelmingWeightStillGivesDistinctPairs) {
  Pool pool({1e6, 1e-6, 1e-6, 1e-6}, {1});
  for (int i = 0; i < 1000; ++i) {
    const Candidates c = pool.draw(2);
    ASSERT_EQ(c.count, 2U);
    ASSERT_NE(c.slot[0], c.slot[1]);
    ASSERT_NE(c.slot[0], 1U);
    ASSERT_NE(c.slot[1], 1U);
  }
}

TEST(Sampler, OneLeftUsesNoLuck) {
  Pool pool(std::vector<double>(3, 1), {0, 2});
  const std::uint64_t before = Rng(pool.rng).u64();
  EXPECT_EQ(pool.draw(2).slot[0], 1U);
  EXPECT_EQ(pool.rng.u64(), before);
}

TEST(AliasTable, IsEmptyForEqualWeightsAndExactForOthers) {
  AliasTable table;
  table.build(std::vector<double>{2, 2, 2});
  EXPECT_TRUE(table.empty());
  table.build(std::vector<double>{});
  EXPECT_TRUE(table.empty());
  table.build(std::vector<double>{1, 3});
  Rng rng(5);
  double second = 0;
  for (int i = 0; i < 100'000; ++i) second += table.draw(rng.u64());
  EXPECT_NEAR(second / 100'000, 0.75, 0.007);
}

}  // namespace
}  // namespace evener
