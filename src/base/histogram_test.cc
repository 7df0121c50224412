#include "base/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/rng.h"

namespace evener {
namespace {

constexpr double kError = 0.016;

TEST(Histogram, EmptyIsZeroEverywhere) {
  const Histogram h;
  EXPECT_EQ(h.count(), 0U);
  EXPECT_EQ(h.quantile(0.5), Duration());
  EXPECT_EQ(h.mean(), Duration());
  EXPECT_EQ(h.max(), Duration());
  EXPECT_EQ(h.min(), Duration());
}

TEST(Histogram, SmallValuesAreExact) {
  Histogram h;
  for (int i = 0; i < 64; ++i) h.record(Duration::nanoseconds(i));
  for (int i = 1; i <= 64; ++i) {
    EXPECT_EQ(h.quantile(i / 64.0).ns(), i - 1);
  }
}

TEST(Histogram, QuantilesAreWithinTheErrorOfExactOnes) {
  Rng rng(21);
  for (int round = 0; round < 20; ++round) {
    Histogram h;
    std::vector<std::int64_t> exact;
    const double spread = 1 + rng.uniform01() * 12;
    const std::size_t count = 1 + rng.below(3000);
    for (std::size_t i = 0; i < count; ++i) {
      const auto ns = static_cast<std::int64_t>(std::exp(rng.uniform01() * spread + 5));
      exact.push_back(ns);
      h.record(Duration::nanoseconds(ns));
    }
    std::ranges::sort(exact);
    for (const double q : {0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      const double wanted = std::ceil(q * static_cast<double>(count));
      const auto rank = std::max<std::size_t>(static_cast<std::size_t>(wanted), 1);
      const auto truth = static_cast<double>(exact[rank - 1]);
      EXPECT_NEAR(static_cast<double>(h.quantile(q).ns()), truth, truth * kError + 1) << q;
    }
  }
}

TEST(Histogram, MergeEqualsRecordingBoth) {
  Rng rng(22);
  Histogram a;
  Histogram b;
  Histogram both;
  for (int i = 0; i < 1000; ++i) {
    const Duration d = Duration::nanoseconds(static_cast<std::int64_t>(rng.below(1'000'000'000)));
    (i % 3 == 0 ? a : b).record(d);
    both.record(d);
  }
  a.merge(b);
  EXPECT_EQ(a.count(), both.count());
  EXPECT_EQ(a.min(), both.min());
  EXPECT_EQ(a.max(), both.max());
  EXPECT_NEAR(a.mean().to_seconds(), both.mean().to_seconds(), 1e-9);
  for (const double q : {0.1, 0.5, 0.99}) EXPECT_EQ(a.quantile(q), both.quantile(q));
}

TEST(Histogram, ExtremesAreHeld) {
  Histogram h;
  h.record(Duration::nanoseconds(-5));
  EXPECT_EQ(h.quantile(1), Duration());
  h.record(Duration::max());
  EXPECT_EQ(h.quantile(1), Duration::max());
  h.record(Duration(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(h.count(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(h.quantile(0.5), Duration());
  EXPECT_EQ(h.quantile(std::numeric_limits<double>::quiet_NaN()), Duration::max());
}

}  // namespace
}  // namespace evener
