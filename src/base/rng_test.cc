#include "base/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace evener {
namespace {

TEST(Rng, SameSeedGivesSameNumbersAndNearSeedsDiffer) {
  Rng a(7);
  Rng b(7);
  Rng c(8);
  int equal = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t x = a.u64();
    EXPECT_EQ(x, b.u64());
    equal += x == c.u64() ? 1 : 0;
  }
  EXPECT_EQ(equal, 0);
}

TEST(Rng, BelowIsInRangeAndEven) {
  Rng rng(1);
  // Chi-square with 6 degrees of freedom: 35 has probability below 1e-5.
  std::array<double, 7> hits{};
  constexpr int kDraws = 70'000;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t x = rng.below(7);
    ASSERT_LT(x, 7U);
    hits[x] += 1;
  }
  double chi = 0;
  for (const double h : hits) chi += (h - 10'000) * (h - 10'000) / 10'000;
  EXPECT_LT(chi, 35.0);
}

TEST(Rng, BelowHandlesTheEdges) {
  Rng rng(2);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(rng.below(1), 0U);
    EXPECT_LT(rng.below((1ULL << 63) + 1), (1ULL << 63) + 1);
  }
}

TEST(Rng, Uniform01StaysInsideAndAveragesHalf) {
  Rng rng(3);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double u = rng.uniform01();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 0.005);  // 5 standard errors
}

TEST(Rng, ForksAreUnrelatedAndReproducible) {
  Rng a(4);
  Rng b(4);
  Rng a_arrivals = a.fork("arrivals");
  EXPECT_EQ(a_arrivals.u64(), b.fork("arrivals").u64());
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(Rng(4).fork(static_cast<std::uint64_t>(i)).u64());
  EXPECT_EQ(seen.size(), 100U);
}

}  // namespace
}  // namespace evener
