#include "base/ewma.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"

namespace evener {
namespace {

constexpr Duration kTau = Duration::seconds(10);
const Ewma::Decay kDecay(kTau);

Time at_ms(double ms) { return Time::from_ns(static_cast<std::int64_t>(ms * 1e6)); }

TEST(Ewma, FastExponentialsStayWithinTheirBounds) {
  for (double z = 1e-12; z < 690; z *= 1.01) {
    EXPECT_NEAR(exp_negative(z) / std::exp(-z), 1.0, 1e-6) << z;
    EXPECT_NEAR(one_minus_exp_negative(z) / -std::expm1(-z), 1.0, 1e-5) << z;
  }
  EXPECT_EQ(exp_negative(1e9), 0.0);
  EXPECT_EQ(exp_negative(std::numeric_limits<double>::infinity()), 0.0);
  EXPECT_EQ(one_minus_exp_negative(0), 0.0);
}

TEST(Ewma, accept_T10_DecayIsExactAtTauAndTwoTau) {
  Ewma e;
  e.add_mean(1000, Time(), Duration::milliseconds(1), kDecay);
  EXPECT_NEAR(e.at(Time() + kTau, 0, kDecay), 1000 * std::exp(-1.0), 0.01);
  EXPECT_NEAR(e.at(Time() + kTau * 2, 0, kDecay), 1000 * std::exp(-2.0), 0.01);
  EXPECT_NEAR(e.at(Time() + kTau, 400, kDecay), 400 + 600 * std::exp(-1.0), 0.01);
  EXPECT_EQ(e.at(Time(), 0, kDecay), 1000);
}

TEST(Ewma, accept_T10_ManySmallStepsEqualOneLargeStep) {
  Ewma one;
  Ewma many;
  one.add_peak(1000, Time(), kDecay);
  many.add_peak(1000, Time(), kDecay);
  one.add_peak(0, at_ms(5000), kDecay);
  for (int i = 1; i <= 5000; ++i) many.add_peak(0, at_ms(i), kDecay);
  EXPECT_NEAR(one.value(), many.value(), 0.01);
}

TEST(Ewma, accept_T10_ClockBackStandingAndFarAhead) {
  Ewma e;
  e.add_mean(100, at_ms(1000), Duration::milliseconds(1), kDecay);
  e.add_mean(900, at_ms(1000), Duration::milliseconds(1), kDecay);  // no time: no weight
  EXPECT_EQ(e.value(), 100);
  e.add_mean(900, at_ms(10), Duration::milliseconds(1), kDecay);
  EXPECT_EQ(e.value(), 100);
  EXPECT_EQ(e.stamp(), at_ms(1000));
  EXPECT_EQ(e.at(at_ms(0), 0, kDecay), 100);
  const Time month = at_ms(1000) + Duration::seconds(30 * 86'400);
  EXPECT_NEAR(e.at(month, 7, kDecay), 7, 1e-9);
  e.add_mean(300, month, Duration::milliseconds(1), kDecay);
  EXPECT_NEAR(e.value(), 300, 1e-6);
}

TEST(Ewma, accept_T11_RefusesWhatIsNoLatency) {
  Ewma e;
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), -1.0, std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(e.add_mean(bad, at_ms(1), Duration(), kDecay));
    EXPECT_FALSE(e.add_peak(bad, at_ms(1), kDecay));
  }
  EXPECT_FALSE(e.known());
  EXPECT_TRUE(e.add_mean(5, at_ms(1), Duration(), kDecay));
  EXPECT_FALSE(e.add_mean(std::numeric_limits<double>::quiet_NaN(), at_ms(2), Duration(), kDecay));
  EXPECT_EQ(e.value(), 5);
}

TEST(Ewma, accept_T12_ReadingChangesNothing) {
  Ewma e;
  e.add_peak(100, Time(), kDecay);
  const double first = e.at(at_ms(700), 10, kDecay);
  for (int i = 0; i < 1000; ++i) (void)e.at(at_ms(i * 100), 0, kDecay);
  EXPECT_EQ(e.at(at_ms(700), 10, kDecay), first);
}

double mean_read(double per_second, bool peak) {
  Rng rng(11);
  Ewma e;
  double now_ms = 0;
  double sum = 0;
  int reads = 0;
  while (now_ms < 200'000) {
    now_ms += -std::log(1 - rng.uniform01()) * 1000 / per_second;
    const double x = -std::log(1 - rng.uniform01()) * 10e6;
    if (peak) {
      e.add_peak(x, at_ms(now_ms), kDecay);
    } else {
      e.add_mean(x, at_ms(now_ms), Duration::from_seconds(x * 1e-9), kDecay);
    }
    if (now_ms > 30'000) {
      sum += e.value();
      ++reads;
    }
  }
  return sum / reads / 1e6;
}

TEST(Ewma, accept_T18_MeanDoesNotDependOnTheRateAndPeakDoes) {
  double last = mean_read(1, false);
  EXPECT_NEAR(last, 10, 2.5);
  for (const double rate : {10.0, 100.0, 1000.0}) {
    const double next = mean_read(rate, false);
    EXPECT_NEAR(next, 10, 1.5) << rate;
    EXPECT_LT(next / last, 2) << rate;
    last = next;
  }
  EXPECT_GT(mean_read(100, true) / mean_read(1, true), 2);  // why it is not the default
}

TEST(Ewma, YoungEstimateIsATimeAverageNotTheFirstSample) {
  Ewma e;
  const Duration span = Duration::milliseconds(10);
  e.add_mean(100, at_ms(0), span, kDecay);
  for (int i = 1; i < 100; ++i) e.add_mean(10, at_ms(10 * i), span, kDecay);
  EXPECT_NEAR(e.value(), 10.9, 0.3);
}

}  // namespace
}  // namespace evener
