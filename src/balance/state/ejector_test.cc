#include "balance/state/ejector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "balance/state/ejector_test.h"

namespace evener {
namespace {

using State = Ejector::State;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr EjectionSettings kNoJitter = {.jitter = 0};

TEST(Ejector, RefusesSettingsOutOfRange) {
  EXPECT_TRUE(check_settings(EjectionSettings{}));
  EXPECT_FALSE(check_settings(EjectionSettings{.window = Duration()}));
  EXPECT_FALSE(check_settings(EjectionSettings{.failure_share = std::nan("")}));
  EXPECT_FALSE(check_settings(EjectionSettings{.longest = Duration::seconds(29)}));
  EXPECT_FALSE(check_settings(EjectionSettings{.jitter = 1.1}));
  EXPECT_FALSE(check_settings(EjectionSettings{.max_share = -0.1}));
  EXPECT_FALSE(check_settings(EjectionSettings{.trial_timeout = Duration()}));
}

TEST(Ejector, FiveFailuresInARowEjectAndSayWhy) {
  EjectorPool pool(4, kNoJitter);
  pool.fail(2, 4);
  EXPECT_THAT(pool.pass(), IsEmpty());
  pool.succeed(2);
  pool.fail(2, 4);
  EXPECT_THAT(pool.pass(), IsEmpty()) << "a success ends a row";
  pool.fail(2);
  EXPECT_THAT(pool.pass(), ElementsAre(2));
  EXPECT_EQ(pool.ejector.ejected(), 1U);
  pool.after_seconds(18);
  EXPECT_EQ(pool.reason(2), "ejected for another 12 s after 5 failures");
  EXPECT_EQ(pool.reason(1), "");
}

TEST(Ejector, ComesBackOnlyThroughOneSuccessfulTrial) {
  EjectorPool pool(3, kNoJitter);
  pool.fail(0, 5);
  pool.pass();
  pool.after_seconds(29.9);
  EXPECT_EQ(pool.state(0), State::kOut);
  EXPECT_THAT(pool.after_seconds(0.1), IsEmpty());
  EXPECT_EQ(pool.state(0), State::kHalfOpen);
  EXPECT_THAT(pool.ejector.half_open(), ElementsAre(0));
  pool.ejector.begin_trial(0, pool.now);
  EXPECT_THAT(pool.ejector.half_open(), IsEmpty()) << "one at a time";
  EXPECT_TRUE(pool.ejector.out(0));
  pool.succeed(0);
  EXPECT_THAT(pool.pass(), ElementsAre(0));
  EXPECT_EQ(pool.state(0), State::kIn);
  EXPECT_EQ(pool.ejector.ejected(), 0U);
}

TEST(Ejector, LateAnswersFromBeforeDoNotCount) {
  EjectorPool pool(3, kNoJitter);
  const Time before = pool.now;
  pool.now = pool.now + Duration::seconds(1);
  pool.fail(0, 5);
  pool.pass();
  pool.after_seconds(30);
  pool.ejector.begin_trial(0, pool.now);
  const auto late = [&](Outcome outcome) {
    pool.ejector.finished(0, before, outcome, Duration::seconds(9), pool.now);
  };
  late(Outcome::kSuccess);
  late(Outcome::kFailure);
  pool.pass();
  EXPECT_EQ(pool.state(0), State::kTrial) << "neither is the trial's answer";
  pool.succeed(0);
  pool.after_seconds(1);
  for (int i = 0; i < 20; ++i) late(Outcome::kFailure);
  EXPECT_THAT(pool.pass(), IsEmpty()) << "they failed before it recovered";
}

TEST(Ejector, BackOffDoublesToItsLimitAndFallsWithHealthyTime) {
  EjectorPool pool(3, kNoJitter);
  pool.fail(0, 5);
  pool.pass();
  for (const int seconds : {30, 60, 120, 240, 300, 300, 300}) {
    const Time start = pool.now;
    while (pool.state(0) == State::kOut) pool.after_seconds(0.1);
    EXPECT_NEAR((pool.now - start).to_seconds(), seconds, 0.11);
    pool.trial(0, Outcome::kFailure);
    EXPECT_EQ(pool.reason(0).substr(pool.reason(0).find("after")), "after its trial failed");
  }
  EXPECT_EQ(pool.ejector.level(0, pool.now), 8U);
  pool.trial(0, Outcome::kSuccess);
  EXPECT_EQ(pool.ejector.level(0, pool.now), 8U);
  // However often or rarely someone looks: the level follows from the time since the return.
  EXPECT_EQ(pool.ejector.level(0, pool.now + Duration::seconds(29)), 8U);
  EXPECT_EQ(pool.ejector.level(0, pool.now + Duration::seconds(90)), 5U);
  EXPECT_EQ(pool.ejector.level(0, pool.now + Duration::seconds(86'400)), 0U);
  pool.now = pool.now + Duration::seconds(7 * 30);
  pool.fail(0, 5);
  pool.pass();
  EXPECT_EQ(pool.reason(0), "ejected for another 60 s after 5 failures");
}

TEST(Ejector, JitterShortensAndNeverLengthens) {
  double least = 1e9;
  double most = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    EjectorPool pool(2, {}, seed);
    pool.fail(0, 5);
    pool.pass();
    const Time start = pool.now;
    while (pool.state(0) == State::kOut) pool.after_seconds(0.05);
    least = std::min(least, (pool.now - start).to_seconds());
    most = std::max(most, (pool.now - start).to_seconds());
  }
  EXPECT_GE(least, 24);
  EXPECT_LT(least, 25);
  EXPECT_GT(most, 29);
  EXPECT_LE(most, 30.1);
}

TEST(Ejector, accept_T30_AStuckTrialTimesOut) {
  EjectorPool pool(3, kNoJitter);
  pool.fail(0, 5);
  pool.pass();
  pool.after_seconds(30);
  const Time stuck = pool.now;
  pool.ejector.begin_trial(0, stuck);
  pool.after_seconds(9.9);
  EXPECT_EQ(pool.state(0), State::kTrial);
  EXPECT_EQ(pool.reason(0), "ejected after 5 failures; its trial is under way");
  pool.after_seconds(0.1);
  EXPECT_EQ(pool.state(0), State::kOut);
  EXPECT_EQ(pool.reason(0), "ejected for another 60 s after its trial timed out");
  // Its late answer is of no use, and the next trial goes on as if it had never been.
  pool.ejector.finished(0, stuck, Outcome::kSuccess, Duration::seconds(9), pool.now);
  pool.pass();
  EXPECT_EQ(pool.state(0), State::kOut);
  pool.trial(0, Outcome::kSuccess);
  EXPECT_EQ(pool.state(0), State::kIn);
}

TEST(Ejector, accept_T30_ATrialThatStreamsGoesOn) {
  EjectorPool pool(3, kNoJitter);
  pool.fail(0, 5);
  pool.pass();
  pool.after_seconds(30);
  pool.ejector.begin_trial(0, pool.now);
  pool.ejector.first_byte(0, pool.now);
  EXPECT_THAT(pool.after_seconds(10), ElementsAre(0));
  EXPECT_EQ(pool.state(0), State::kIn);
}

TEST(Ejector, accept_T30_ATrialGivenUpByTheClientLeavesRoomForTheNext) {
  EjectorPool pool(3, kNoJitter);
  pool.fail(0, 5);
  pool.pass();
  pool.after_seconds(30);
  for (const Outcome nothing : {Outcome::kCancelled, Outcome::kRejected}) {
    pool.ejector.begin_trial(0, pool.now);
    pool.answer(0, nothing);
    pool.after_seconds(60);
    EXPECT_EQ(pool.state(0), State::kHalfOpen);
  }
  pool.trial(0, Outcome::kSuccess);
  EXPECT_EQ(pool.state(0), State::kIn);
}

TEST(Ejector, case_F12_OffIsNeverShownAsEjected) {
  EjectorPool pool(4, {.enabled = false});
  for (int i = 0; i < 100; ++i) {
    pool.fail(1, 50);
    EXPECT_THAT(pool.after_seconds(1), IsEmpty());
  }
  EXPECT_EQ(pool.state(1), State::kIn);
  EXPECT_EQ(pool.reason(1), "");
}

TEST(Ejector, case_F12_ALimitOfNoFailuresMeansOff) {
  EjectorPool pool(4, {.consecutive = 0});
  pool.fail(1, 5);
  EXPECT_THAT(pool.after_seconds(1), IsEmpty());
  EXPECT_EQ(pool.state(1), State::kIn);
  EXPECT_EQ(pool.reason(1), "");
}

TEST(Ejector, case_F16_LocalRefusalsNeverCount) {
  EjectorPool pool(2);
  for (int i = 0; i < 30; ++i) {
    pool.answer(0, Outcome::kRejected, 99);
    pool.succeed(0);
    EXPECT_THAT(pool.after_seconds(1), IsEmpty());
  }
  pool.answer(1, Outcome::kRejected, 1000);
  EXPECT_THAT(pool.after_seconds(1), IsEmpty());
}

TEST(Ejector, case_F17_ClientsThatGoAwayNeverCount) {
  EjectorPool pool(2);
  pool.fail(0, 4);
  pool.answer(0, Outcome::kCancelled, 50);
  EXPECT_THAT(pool.after_seconds(1), IsEmpty());
  pool.fail(0);
  EXPECT_THAT(pool.pass(), ElementsAre(0)) << "nor do they end a row of failures";
}

}  // namespace
}  // namespace evener
