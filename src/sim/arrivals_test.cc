#include "sim/arrivals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace evener::sim {
namespace {

constexpr std::uint64_t kSeed = 7;

std::vector<double> times(const Arrivals& arrivals, std::size_t most, double until = 1e18) {
  ArrivalProcess process(arrivals, Rng(kSeed));
  std::vector<double> out;
  while (out.size() < most) {
    const Time next = process.next();
    if (next == Time::never()) break;
    const double s = static_cast<double>(next.ns()) * 1e-9;
    if (s > until) break;
    if (!out.empty()) EXPECT_GE(s, out.back());
    out.push_back(s);
  }
  return out;
}

TEST(Arrivals, PoissonHasItsRateAndVariance) {
  const auto t = times(Arrivals::poisson(50), 200'000);
  EXPECT_NEAR(t.back(), 4000, 4000 * 5 / std::sqrt(2e5));
  double squares = 0;
  for (std::size_t i = 1; i < t.size(); ++i) squares += (t[i] - t[i - 1]) * (t[i] - t[i - 1]);
  EXPECT_NEAR(squares / 2e5 * 2500, 2, 0.05);
}

TEST(Arrivals, SteadyIsAMetronome) {
  const auto t = times(Arrivals::steady(100), 10);
  for (std::size_t i = 0; i < t.size(); ++i) {
    EXPECT_NEAR(t[i], 0.01 * static_cast<double>(i + 1), 1e-8);
  }
}

TEST(Arrivals, BurstsKeepTheOverallRate) {
  const auto t = times(Arrivals::bursty(100, 10, 0.5, 4.5), 1'000'000);
  // Some 2,000 bursts: the count's spread is theirs.
  EXPECT_NEAR(1e6 / t.back(), 100, 8);
  // More variable than Poisson: the index of dispersion of counts per second is far above 1.
  std::vector<double> counts(static_cast<std::size_t>(t.back()) + 1);
  for (const double s : t) ++counts[static_cast<std::size_t>(s)];
  double sum = 0;
  double squares = 0;
  for (const double c : counts) {
    sum += c;
    squares += c * c;
  }
  const double mean = sum / static_cast<double>(counts.size());
  EXPECT_GT(squares / static_cast<double>(counts.size()) - mean * mean, 20 * mean);
}

TEST(Arrivals, ProfileRampsAndSteps) {
  Arrivals arrivals = Arrivals::poisson(1000);
  // 0..10 s up from 0 to 1, then a step to 3 until 20 s, then nothing.
  arrivals.profile = {{0, 0}, {10, 1}, {10, 3}, {20, 3}, {20, 0}};
  ASSERT_TRUE(arrivals.check().has_value());
  const auto t = times(arrivals, 1'000'000);
  double first_half = 0;
  double ramp = 0;
  double plateau = 0;
  for (const double s : t) {
    EXPECT_LE(s, 20);
    first_half += s < 5;
    ramp += s < 10;
    plateau += s >= 10;
  }
  EXPECT_NEAR(first_half, 1250, 5 * std::sqrt(1250));
  EXPECT_NEAR(ramp, 5000, 5 * std::sqrt(5000));
  EXPECT_NEAR(plateau, 30'000, 5 * std::sqrt(30'000));
}

TEST(Arrivals, ProfileDownAndBurstsTogether) {
  Arrivals arrivals = Arrivals::bursty(2000, 5, 0.01, 0.01);
  arrivals.profile = {{0, 2}, {10, 0}};
  const auto t = times(arrivals, 1'000'000);
  EXPECT_LE(t.back(), 10);
  EXPECT_NEAR(static_cast<double>(t.size()), 20'000, 2000);
}

TEST(Arrivals, TraceIsReplayedAndEnds) {
  const auto t = times(Arrivals::trace({0, 0.5, 0.5, 2}), 100);
  EXPECT_EQ(t, (std::vector<double>{0, 0.5, 0.5, 2}));
}

TEST(Arrivals, BadOnesAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Arrivals late = Arrivals::poisson(1);
  late.profile = {{5, 1}, {4, 1}};
  Arrivals negative = Arrivals::poisson(1);
  negative.profile = {{5, -1}};
  for (const Arrivals& bad :
       {Arrivals::poisson(-1), Arrivals::poisson(0), Arrivals::poisson(nan), late, negative,
        Arrivals::bursty(1, 0, 1, 1), Arrivals::bursty(1, 2, 0, 1), Arrivals::trace({}),
        Arrivals::trace({2, 1}), Arrivals::trace({-1}), Arrivals::closed(0, Distribution())}) {
    const auto ok = bad.check();
    ASSERT_FALSE(ok.has_value());
    EXPECT_NE(ok.error().message.find("expected"), ok.error().message.npos) << ok.error().message;
  }
}

}  // namespace
}  // namespace evener::sim
