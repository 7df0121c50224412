#include <evener/hedge.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/rng.h"

namespace evener {
namespace {

Time at(double seconds) { return Time() + Duration::from_seconds(seconds); }
Duration ms(double value) { return Duration::from_seconds(value / 1000); }

TEST(HedgeDelay, RefusesSettingsOutOfRange) {
  EXPECT_TRUE(check_settings(HedgeSettings{}));
  EXPECT_FALSE(check_settings(HedgeSettings{.percentile = std::nan("")}));
  EXPECT_FALSE(check_settings(HedgeSettings{.percentile = 1}));
  EXPECT_FALSE(check_settings(HedgeSettings{.floor = ms(2), .longest = ms(1)}));
  EXPECT_FALSE(check_settings(HedgeSettings{.samples = 0}));
  EXPECT_FALSE(check_settings(HedgeSettings{.window = Duration()}));
}

TEST(HedgeDelay, IsUnknownUntilEnoughWasSeenAndAgainAfterASilence) {
  HedgeDelay hedge({});
  for (int i = 0; i < 99; ++i) hedge.record(ms(20), at(1));
  EXPECT_FALSE(hedge.delay(at(1)));
  hedge.record(ms(20), at(1));
  ASSERT_TRUE(hedge.delay(at(1)));
  EXPECT_TRUE(hedge.delay(at(59)));
  EXPECT_FALSE(hedge.delay(at(61))) << "two windows later";
  EXPECT_FALSE(hedge.delay(at(1e7)));
}

TEST(HedgeDelay, IsNeverBelowThePercentileAndAtMostSixPercentAbove) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    const HedgeSettings settings = {.percentile = 0.5 + 0.49 * rng.uniform01(),
                                    .floor = Duration(),
                                    .longest = Duration::seconds(3600)};
    HedgeDelay hedge(settings);
    std::vector<double> all;
    const double scale = std::pow(10.0, -5 + 5 * rng.uniform01());  // 10 us to 1 s
    const auto count = 100 + rng.below(3000);
    for (std::uint64_t i = 0; i < count; ++i) {
      const double seconds = std::max(-std::log(1 - rng.uniform01()) * scale, 1.1e-6);
      hedge.record(Duration::from_seconds(seconds), at(1));
      all.push_back(Duration::from_seconds(seconds).to_seconds());
    }
    std::ranges::sort(all);
    const double rank = std::ceil(settings.percentile * static_cast<double>(all.size()));
    const double exact = all[static_cast<std::size_t>(rank) - 1];
    const double found = hedge.delay(at(3)).value().to_seconds();
    EXPECT_GE(found, exact);
    EXPECT_LE(found, exact * 1.063);
  }
}

TEST(HedgeDelay, StaysWithinItsFloorAndCapWhateverIsRecorded) {
  HedgeDelay hedge({.floor = ms(2), .longest = ms(50)});
  double now = 1;
  for (const Duration value : {Duration(), Duration::nanoseconds(-5), Duration::max()}) {
    for (int i = 0; i < 1000; ++i) hedge.record(value, at(now));
    now += 2;
    const Duration found = hedge.delay(at(now)).value();
    EXPECT_GE(found, ms(2));
    EXPECT_LE(found, ms(50));
  }
  EXPECT_EQ(hedge.delay(at(now)).value(), ms(50));
}

TEST(HedgeDelay, FollowsAChangeWithinTwoWindows) {
  HedgeDelay hedge({});
  for (double t = 0; t < 60; t += 0.01) hedge.record(ms(10), at(t));
  EXPECT_NEAR(hedge.delay(at(60)).value().to_seconds(), 0.010, 0.0007);
  for (double t = 60; t < 120; t += 0.01) hedge.record(ms(100), at(t));
  EXPECT_NEAR(hedge.delay(at(120)).value().to_seconds(), 0.100, 0.007);
  for (double t = 120; t < 180; t += 0.01) hedge.record(ms(10), at(t));
  EXPECT_NEAR(hedge.delay(at(180)).value().to_seconds(), 0.010, 0.0007);
  EXPECT_TRUE(hedge.delay(at(100))) << "a clock going back";
}

// Share of requests hedged when the loser of each pair is cancelled, at 500 rps over five minutes.
double hedged_share(bool tell_losers) {
  Rng rng(7);
  HedgeDelay hedge({.floor = Duration()});
  const auto draw = [&rng] { return -std::log(1 - rng.uniform01()) * 0.02; };
  double hedged = 0;
  double all = 0;
  for (double t = 0; t < 300; t += 0.002) {
    const double first = draw();
    const auto delay = hedge.delay(at(t));
    if (!delay || first <= delay->to_seconds()) {
      hedge.record(Duration::from_seconds(first), at(t));
    } else {
      const double second = draw();
      const double end = std::min(first, delay->to_seconds() + second);
      hedged += t > 150 ? 1 : 0;
      const bool first_wins = first <= delay->to_seconds() + second;
      if (first_wins || tell_losers) hedge.record(Duration::from_seconds(end), at(t));
      if (!first_wins || tell_losers) {
        hedge.record(Duration::from_seconds(end - delay->to_seconds()), at(t));
      }
    }
    all += t > 150 ? 1 : 0;
  }
  return hedged / all;
}

TEST(HedgeDelay, HedgesStayFewWhenTheLosersAreToldToo) {
  EXPECT_NEAR(hedged_share(true), 0.05, 0.015);
  EXPECT_GT(hedged_share(false), hedged_share(true) * 1.1) << "why the losers must be told";
}

}  // namespace
}  // namespace evener
