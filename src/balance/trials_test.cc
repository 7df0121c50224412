// Trials of ejected endpoints, and what a pick answers when nobody is eligible.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "balance/pool_test.h"
#include "balance/state/ejector.h"

namespace evener {
namespace {

// Ejects the endpoint and waits until a request may be its trial.
void make_half_open(Pool& pool, std::size_t endpoint) {
  pool.answer(endpoint, Outcome::kFailure, 5);
  pool.after(Duration::milliseconds(1));
  pool.after(Duration::seconds(31));
  ASSERT_FALSE(pool.status(endpoint).eligible);
}

TEST(Trials, ARetryIsNoTrialOfWhatItTried) {
  Pool pool(with_ejection(), 4);
  make_half_open(pool, 2);
  Ticket trial = pool.pick().value();
  ASSERT_EQ(trial.id(), EndpointId{2});
  trial.finish(Outcome::kOverloaded, pool.now);  // decides nothing: the next request is the trial
  const std::array<EndpointId, 1> tried = {EndpointId{2}};
  EXPECT_NE(pool.pick(tried).value().id(), EndpointId{2});
  EXPECT_EQ(pool.pick().value().id(), EndpointId{2});
}

// Ejected and due, while the only other one asked to be left alone.
void leave_only_the_trial(Pool& pool) {
  pool.answer(1, Outcome::kFailure, 5);
  pool.after(Duration::milliseconds(1));
  pool.answer(0, Outcome::kOverloaded, 1, Duration::seconds(60));
  pool.after(Duration::seconds(31));
  ASSERT_EQ(pool.balancer.eligible(), 0U);
}

TEST(Trials, BringAnEndpointBackAlsoWhenNobodyIsEligible) {
  for (const Panic panic : {Panic::kError, Panic::kMembers, Panic::kAll}) {
    BalancerOptions options = with_ejection();
    options.panic = panic;
    Pool pool(options, 2);
    leave_only_the_trial(pool);
    auto trial = pool.pick();
    ASSERT_TRUE(trial.has_value()) << to_string(trial.error());
    EXPECT_EQ(trial->id(), EndpointId{1});
    EXPECT_EQ(pool.balancer.explain().candidates.at(0).note, "trial");
    trial->finish(Outcome::kSuccess, pool.now);
    pool.after(Duration::milliseconds(1));
    EXPECT_EQ(pool.balancer.eligible(), 1U);
  }
}

TEST(Trials, ComeBeforeWaitingForWhoIsBusy) {
  BalancerOptions options = with_ejection();
  options.max_in_flight = 1;
  Pool pool(options, 2);
  make_half_open(pool, 1);
  const std::array<EndpointId, 1> tried = {EndpointId{1}};
  const Ticket hung = pool.pick(tried).value();
  ASSERT_EQ(pool.balancer.eligible(), 0U);
  EXPECT_EQ(pool.pick().value().id(), EndpointId{1});
}

TEST(Trials, ARefusedConnectIsAFailedTrial) {
  BalancerOptions options = with_ejection();
  options.pushback.refused = Duration();
  Pool pool(options, 4);
  make_half_open(pool, 2);
  Ticket trial = pool.pick().value();
  ASSERT_EQ(trial.id(), EndpointId{2});
  trial.finish(Outcome::kConnectFailed, pool.now);
  pool.after(Duration::seconds(2));
  EXPECT_EQ(pool.hits(200)[2], 0) << pool.status(2).reason;
}

TEST(Trials, FollowRefusedConnectsInARowToo) {
  Pool pool(with_ejection(), 4);
  for (int i = 0; i < 5; ++i) {
    pool.answer(2, Outcome::kConnectFailed);
    pool.after(Duration::seconds(2));  // pushback is over
  }
  EXPECT_NE(pool.status(2).reason.find("after 5 failures"), std::string::npos)
      << pool.status(2).reason;
}

TEST(Trials, NoRequestLooksThroughThoseThatCannotHaveOne) {
  Ejector ejector({.max_share = 1});
  Rng rng(1);
  ejector.resize(4);
  for (std::uint32_t slot = 0; slot < 4; ++slot) ejector.join(slot);
  const Time now = Time() + Duration::seconds(100);
  for (int i = 0; i < 5; ++i) {
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      ejector.finished(slot, now, Outcome::kFailure, Duration(), now);
    }
  }
  ejector.pass(now, Duration(), rng);
  ejector.leave(0);
  ejector.pass(now + Duration::seconds(31), Duration(), rng);
  ejector.leave(1);
  EXPECT_EQ(std::ranges::count(ejector.half_open(), 2U), 1);
  EXPECT_EQ(ejector.half_open().size(), 1U);
  ejector.join(0);
  ejector.join(1);
  EXPECT_EQ(ejector.half_open().size(), 3U);
}

TEST(NobodyEligible, WhoIsBusyAndEjectedIsNotWaitedFor) {
  BalancerOptions options = with_ejection();
  options.max_in_flight = 2;
  Pool pool(options, 3);
  const Ticket first = pool.pick_one(0);
  pool.answer(0, Outcome::kFailure, 5);
  const Ticket second = pool.pick_one(0);  // now at its limit
  pool.after(Duration::milliseconds(1));   // and ejected
  for (const std::size_t e : {1U, 2U}) {
    pool.answer(e, Outcome::kOverloaded, 1, Duration::seconds(60));
  }
  ASSERT_EQ(pool.balancer.eligible(), 0U);
  const auto panic = pool.pick();
  ASSERT_TRUE(panic.has_value()) << to_string(panic.error());
  EXPECT_NE(panic->id(), EndpointId{0});
}

TEST(NobodyEligible, BusyMeansThatWaitingMayHelp) {
  Pool pool({.max_in_flight = 1}, 2);
  Ticket a = pool.pick().value();
  const Ticket b = pool.pick().value();
  const std::array<EndpointId, 1> one = {a.id()};
  const std::array<EndpointId, 3> both = {a.id(), b.id(), a.id()};
  EXPECT_EQ(pool.pick(one).error(), PickError::kAllBusy);
  EXPECT_EQ(pool.pick(both).error(), PickError::kAllTried);
  a.finish(Outcome::kSuccess, pool.now);
  EXPECT_EQ(pool.pick(one).error(), PickError::kAllBusy);
  EXPECT_EQ(pool.pick(both).error(), PickError::kAllTried);
}

}  // namespace
}  // namespace evener
