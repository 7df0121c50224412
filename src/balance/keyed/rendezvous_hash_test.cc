#include "balance/keyed/rendezvous_hash.h"

#include <gtest/gtest.h>

#include <vector>

#include "balance/conformance.h"

namespace evener {
namespace {

using conformance::chi_square;
using conformance::chi_square_bound;
using conformance::seed_from_environment;

constexpr auto kAny = [](std::uint32_t) { return true; };

std::vector<KeyedMember> members(std::span<const double> weights) {
  std::vector<KeyedMember> out;
  for (std::uint32_t i = 0; i < weights.size(); ++i) out.push_back({100 + i, weights[i], i, 0});
  return out;
}

TEST(RendezvousHash, SharesFollowWeights) {
  Rng rng(seed_from_environment());
  for (const std::vector<double>& weights :
       {std::vector<double>{1, 1, 1, 1}, {1, 2, 4, 8}, {0.25, 3, 1e-6, 0.5}}) {
    RendezvousHash hash;
    hash.build(members(weights));
    double sum = 0;
    for (const double weight : weights) sum += weight;
    std::vector<double> hits(weights.size());
    std::vector<double> expected;
    for (const double weight : weights) expected.push_back(100'000 * weight / sum);
    for (int i = 0; i < 100'000; ++i) ++hits.at(hash.best<1>(rng.u64(), kAny)[0]);
    EXPECT_LT(chi_square(hits, expected), chi_square_bound(3)) << "EV_SEED=" << rng.u64();
  }
}

TEST(RendezvousHash, TheSecondIsTheFirstOnceTheFirstIsGone) {
  Rng rng(seed_from_environment());
  RendezvousHash hash;
  for (const std::vector<double>& weights : {std::vector<double>(9, 1.0), {1, 2, 3, 4, 5}}) {
    hash.build(members(weights));
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t key = rng.u64();
      const auto two = hash.best<2>(key, kAny);
      const auto three = hash.best<3>(key, kAny);
      ASSERT_NE(two[0], two[1]);
      ASSERT_EQ(hash.best<1>(key, kAny)[0], two[0]);
      const auto without = [&](std::uint32_t slot) { return slot != two[0]; };
      ASSERT_EQ(hash.best<1>(key, without)[0], two[1]);
      const auto next = hash.best<2>(key, without);
      ASSERT_EQ(next[0], three[1]);
      ASSERT_EQ(next[1], three[2]);
    }
  }
}

TEST(RendezvousHash, AChangedWeightMovesKeysOnlyToOrFromThatEndpoint) {
  Rng rng(seed_from_environment());
  std::vector<double> weights(10, 1.0);
  RendezvousHash before;
  before.build(members(weights));
  for (const double changed : {3.0, 0.2}) {
    weights[4] = changed;
    RendezvousHash after;
    after.build(members(weights));
    for (int i = 0; i < 10'000; ++i) {
      const std::uint64_t key = rng.u64();
      const std::uint32_t was = before.best<1>(key, kAny)[0];
      const std::uint32_t is = after.best<1>(key, kAny)[0];
      ASSERT_TRUE(was == is || (changed > 1 ? is : was) == 4) << key;
    }
  }
}

TEST(RendezvousHash, NobodyAllowedIsNobody) {
  RendezvousHash hash;
  EXPECT_EQ(hash.best<1>(1, kAny)[0], Slot::kNone);
  hash.build(members(std::vector<double>{1}));
  EXPECT_EQ(hash.best<2>(1, kAny)[0], 0U);
  EXPECT_EQ(hash.best<2>(1, kAny)[1], Slot::kNone);
  EXPECT_EQ(hash.best<1>(1, [](std::uint32_t) { return false; })[0], Slot::kNone);
}

}  // namespace
}  // namespace evener
