#include "balance/state/outliers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <set>

#include "balance/state/ejector_test.h"

namespace evener {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// gRPC A50 as written there, for one interval: success rate, then failure percentage.
std::set<std::uint32_t> a50(const std::vector<OutlierSample>& samples) {
  std::set<std::uint32_t> ejected;
  std::vector<double> rates;
  for (const auto& [slot, c] : samples) {
    if (c.all() >= 100) rates.push_back(static_cast<double>(c.good) / c.all());
  }
  if (rates.size() >= 5) {
    double mean = 0;
    for (const double rate : rates) mean += rate / static_cast<double>(rates.size());
    double variance = 0;
    for (const double rate : rates) {
      variance += (rate - mean) * (rate - mean) / static_cast<double>(rates.size());
    }
    const double limit = mean - std::sqrt(variance) * 1900 / 1000;
    for (const auto& [slot, c] : samples) {
      if (c.all() >= 100 && static_cast<double>(c.good) / c.all() < limit) ejected.insert(slot);
    }
  }
  std::size_t busy = 0;
  for (const auto& sample : samples) busy += sample.counts.all() >= 50 ? 1 : 0;
  for (const auto& [slot, c] : samples) {
    if (busy >= 5 && c.all() >= 50 && 100.0 * c.bad / c.all() > 85) ejected.insert(slot);
  }
  return ejected;
}

// The settings at which ours and A50's rules coincide.
constexpr EjectionSettings kAsA50 = {.consecutive = 0,
                                     .failure_endpoints = 5,
                                     .success_margin = 0,
                                     .success_failures = 0,
                                     .jitter = 0,
                                     .max_share = 1};

std::vector<OutlierSample> random_interval(Rng& rng) {
  std::vector<OutlierSample> samples(3 + rng.below(12));
  for (std::uint32_t slot = 0; slot < samples.size(); ++slot) {
    const auto volume = static_cast<std::uint32_t>(rng.below(4) == 0 ? rng.below(100) : 150);
    const double share = rng.below(4) == 0 ? rng.uniform01() : 0.01 * rng.uniform01();
    const auto bad = static_cast<std::uint32_t>(share * volume);
    samples[slot] = {slot, {.good = volume - bad, .bad = bad}};
  }
  return samples;
}

TEST(Outliers, accept_T25_A50Conformance) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Rng rng(seed);
    const std::vector<OutlierSample> samples = random_interval(rng);
    const std::set<std::uint32_t> expected = a50(samples);
    std::vector<Outlier> outliers;
    find_outliers(samples, kAsA50, outliers);
    std::set<std::uint32_t> slots;
    for (const Outlier& outlier : outliers) slots.insert(outlier.slot);
    ASSERT_EQ(slots, expected) << "seed " << seed;
    found += static_cast<int>(expected.size());
  }
  EXPECT_GT(found, 1000) << "the comparison must have something to compare";
}

TEST(Outliers, accept_T25_A50ConformanceThroughTheEjector) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    const std::vector<OutlierSample> samples = random_interval(rng);
    EjectorPool pool(static_cast<std::uint32_t>(samples.size()), kAsA50);
    for (const auto& [slot, c] : samples) {
      pool.mixed(slot, static_cast<int>(c.good), static_cast<int>(c.bad));
    }
    pool.after_seconds(1);
    const std::set<std::uint32_t> expected = a50(samples);
    EXPECT_EQ(pool.out(), std::vector<std::uint32_t>(expected.begin(), expected.end()));
    // Base ejection time 30 s; then A50 sends traffic at once, we send one request first.
    pool.after_seconds(29.9);
    EXPECT_THAT(pool.ejector.half_open(), IsEmpty());
    pool.after_seconds(0.2);
    EXPECT_EQ(pool.ejector.half_open().size(), expected.size());
  }
}

TEST(Outliers, accept_T26_ThirtyPercentBadAreCaughtByTheFailureShare) {
  EjectionSettings settings = {.consecutive = 0};
  EjectorPool pool(10, settings);
  for (std::uint32_t slot = 0; slot < 10; ++slot)
    pool.mixed(slot, slot < 3 ? 10 : 100, slot < 3 ? 90 : 0);
  pool.after_seconds(1);
  EXPECT_THAT(pool.out(), ElementsAre(0, 1, 2));
  EXPECT_EQ(pool.reason(1).substr(pool.reason(1).find("after")), "after 90 of 100 requests failed");

  settings.failure_share = 1;
  EjectorPool blind(10, settings);
  for (std::uint32_t slot = 0; slot < 10; ++slot)
    blind.mixed(slot, slot < 3 ? 10 : 100, slot < 3 ? 90 : 0);
  blind.after_seconds(1);
  EXPECT_THAT(blind.out(), IsEmpty()) << "the success rate alone sees none of 30 %";
}

TEST(Outliers, accept_T27_NoEjectionForOneFailureInAHundred) {
  EjectorPool pool(10);
  for (std::uint32_t slot = 0; slot < 10; ++slot)
    pool.mixed(slot, slot == 4 ? 99 : 100, slot == 4 ? 1 : 0);
  pool.after_seconds(1);
  EXPECT_THAT(pool.out(), IsEmpty());
  EjectorPool hair_trigger(10, kAsA50);
  for (std::uint32_t slot = 0; slot < 10; ++slot) {
    hair_trigger.mixed(slot, slot == 4 ? 99 : 100, slot == 4 ? 1 : 0);
  }
  hair_trigger.after_seconds(1);
  EXPECT_THAT(hair_trigger.out(), ElementsAre(4)) << "as A50 would";
}

TEST(Outliers, ALoneOutlierIsCaughtByItsSuccessRate) {
  EjectorPool pool(10);
  for (std::uint32_t slot = 0; slot < 10; ++slot)
    pool.mixed(slot, slot == 4 ? 80 : 100, slot == 4 ? 20 : 0);
  pool.after_seconds(1);
  EXPECT_THAT(pool.out(), ElementsAre(4));
}

TEST(Outliers, accept_T31_IdleEndpointsAreNoPartOfTheStatistics) {
  // Four busy, six idle: too few for the success rate, whatever the idle would be taken for.
  EjectorPool few(10, {.consecutive = 0});
  for (std::uint32_t slot = 0; slot < 4; ++slot)
    few.mixed(slot, slot == 0 ? 60 : 100, slot == 0 ? 40 : 0);
  few.after_seconds(1);
  EXPECT_THAT(few.out(), IsEmpty());
  // Six busy ones that all fail 20 %, and 50 idle: counted as 100 %, the idle would get them
  // ejected.
  EjectorPool same(56, {.consecutive = 0});
  for (std::uint32_t slot = 0; slot < 6; ++slot) same.mixed(slot, 80, 20);
  for (std::uint32_t slot = 6; slot < 56; ++slot) same.succeed(slot);
  same.after_seconds(1);
  EXPECT_THAT(same.out(), IsEmpty());
}

TEST(Outliers, AFewFailuresOfFewRequestsProveNothing) {
  EjectorPool pool(10, {.success_requests = 10});
  for (std::uint32_t slot = 0; slot < 10; ++slot)
    pool.mixed(slot, slot == 4 ? 6 : 10, slot == 4 ? 4 : 0);
  pool.after_seconds(1);
  EXPECT_THAT(pool.out(), IsEmpty());
}

TEST(Outliers, OnePercentWorseIsNoOutlierHoweverManyRequests) {
  EjectorPool pool(10);
  for (std::uint32_t slot = 0; slot < 10; ++slot)
    pool.mixed(slot, slot == 4 ? 1980 : 2000, slot == 4 ? 20 : 0);
  pool.after_seconds(1);
  EXPECT_THAT(pool.out(), IsEmpty());
}

TEST(Outliers, FailuresFromBeforeAnEjectionAreNotHeldAgainstItTwice) {
  EjectorPool pool(4, {.window = Duration::seconds(60), .base = Duration::seconds(1)});
  pool.fail(1, 60);
  pool.after_seconds(1);
  ASSERT_THAT(pool.out(), ElementsAre(1));
  pool.trial(1, Outcome::kSuccess);
  for (int i = 0; i < 20; ++i) pool.after_seconds(1);
  EXPECT_THAT(pool.out(), IsEmpty());
}

TEST(Outliers, SlowAnswersEjectOnlyWhenAskedTo) {
  for (const double multiple : {0.0, 5.0}) {
    EjectorPool pool(5, {.slow_multiple = multiple});
    pool.median = Duration::milliseconds(20);
    pool.pass();
    for (std::uint32_t slot = 0; slot < 5; ++slot) {
      pool.answer(slot, Outcome::kSuccess, 60, Duration::milliseconds(slot == 3 ? 101 : 99));
      pool.answer(slot, Outcome::kSuccess, 50, Duration::milliseconds(slot == 2 ? 999 : 20));
    }
    pool.after_seconds(1);
    if (multiple == 0) {
      EXPECT_THAT(pool.out(), IsEmpty());
    } else {
      EXPECT_THAT(pool.out(), ElementsAre(3)) << "more than half of its answers";
      EXPECT_NE(pool.reason(3).find("after 60 of 110 answers were slow"), std::string::npos);
    }
  }
}

TEST(Outliers, SlowIsNothingBelowTheFloorOrBeforeAMedianIsKnown) {
  EjectorPool pool(5, {.slow_multiple = 5});
  pool.median = Duration::microseconds(100);
  pool.pass();
  pool.answer(0, Outcome::kSuccess, 200, Duration::milliseconds(9));
  EXPECT_THAT(pool.after_seconds(1), IsEmpty());
  EjectorPool unknown(5, {.slow_multiple = 5});
  unknown.median = Duration();
  unknown.pass();
  unknown.answer(0, Outcome::kSuccess, 200, Duration::seconds(9));
  EXPECT_THAT(unknown.after_seconds(1), IsEmpty());
}

// An outcome counts for between 9/10 and 10/10 of the window, whatever the rate.
TEST(OutcomeWindow, AgreesWithAListOfOutcomes) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    OutcomeWindow window;
    std::deque<std::pair<std::int64_t, bool>> all;
    std::int64_t bucket = 0;
    for (int i = 0; i < 3000; ++i) {
      if (rng.below(5) == 0)
        bucket += static_cast<std::int64_t>(rng.below(rng.below(20) == 0 ? 40 : 3));
      const bool good = rng.below(3) != 0;
      window.add(bucket, good, good && rng.below(2) == 0);
      all.emplace_back(bucket, good);
      const std::int64_t read_at = bucket + static_cast<std::int64_t>(rng.below(12));
      OutcomeCounts expected;
      for (const auto& [number, was_good] : all) {
        if (number > read_at - 10) ++(was_good ? expected.good : expected.bad);
      }
      const OutcomeCounts found = window.sum(read_at);
      ASSERT_EQ(found.good, expected.good);
      ASSERT_EQ(found.bad, expected.bad);
      ASSERT_LE(found.slow, found.good);
    }
    EXPECT_EQ(window.sum(bucket + (std::int64_t{1} << 40)).all(), 0U) << "a jump far ahead";
  }
}

// Rows 32 and 54 of the peers' faults: a burst weighs as much as the same failures spread out.
TEST(OutcomeWindow, ATotalOutageIsSeenAtAnyRate) {
  for (const int per_second : {1, 10, 1000}) {
    EjectorPool pool(3, {.consecutive = 0, .failure_requests = 9});
    for (int second = 0; second < 10; ++second) {
      pool.fail(1, per_second);
      pool.after_seconds(1);
    }
    EXPECT_THAT(pool.out(), ElementsAre(1)) << per_second;
  }
}

}  // namespace
}  // namespace evener
