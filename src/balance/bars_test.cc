// What takes endpoints out of the choice and lets them back, through a real Balancer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "balance/pool_test.h"

namespace evener {
namespace {

using conformance::seed_from_environment;

TEST(Bars, FiveFailuresEjectAndOneTrialBringsBack) {
  Pool pool(with_ejection(), 4);
  pool.answer(2, Outcome::kFailure, 5);
  pool.after(Duration::milliseconds(1));
  EXPECT_EQ(pool.balancer.eligible(), 3U);
  EXPECT_NE(pool.status(2).reason.find("5 failures"), std::string::npos) << pool.status(2).reason;
  EXPECT_EQ(pool.hits(300)[2], 0);
  pool.after(Duration::seconds(31));
  EXPECT_EQ(pool.balancer.eligible(), 3U);
  Ticket trial = pool.pick().value();
  EXPECT_EQ(trial.id(), EndpointId{2});
  EXPECT_EQ(pool.balancer.explain().candidates.at(0).note, "trial");
  EXPECT_EQ(pool.hits(300)[2], 0) << "one trial at a time";
  trial.finish(Outcome::kSuccess, pool.now);
  pool.after(Duration::milliseconds(1));
  EXPECT_EQ(pool.balancer.eligible(), 4U);
  EXPECT_EQ(pool.status(2).reason, "eligible");
}

TEST(Bars, AFailedTrialEjectsForLonger) {
  Pool pool(with_ejection(), 4);
  pool.answer(2, Outcome::kFailure, 5);
  pool.after(Duration::milliseconds(1));
  pool.after(Duration::seconds(31));
  pool.pick().value().finish(Outcome::kFailure, pool.now);
  pool.after(Duration::milliseconds(1));
  pool.after(Duration::seconds(31));
  EXPECT_EQ(pool.hits(200)[2], 0) << "twice as long, less a fifth at most";
  pool.after(Duration::seconds(31));
  EXPECT_EQ(pool.pick().value().id(), EndpointId{2});
}

TEST(Bars, TheLastUsableIsNeverEjected) {
  BalancerOptions options = with_ejection();
  options.ejection.max_share = 1;
  Pool pool(options, 3);
  for (std::size_t i = 0; i < 3; ++i) pool.answer(i, Outcome::kFailure, 20);
  pool.after(Duration::milliseconds(1));
  EXPECT_EQ(pool.balancer.eligible(), 1U);
}

// Two of six are out; the next process knows only those two.
TEST(Bars, WhatIsRestoredNeverLeavesNobody) {
  Pool before(with_ejection(), 6);
  for (const std::size_t bad : {2UL, 4UL}) before.answer(bad, Outcome::kFailure, 5);
  before.after(Duration::milliseconds(1));
  ASSERT_EQ(before.balancer.eligible(), 4U);
  Pool after(with_ejection(), 6);
  after.endpoints = {after.endpoints[2], after.endpoints[4]};
  after.apply();
  ASSERT_TRUE(after.balancer.restore(before.balancer.save(before.now), after.now));
  EXPECT_EQ(after.balancer.eligible(), 1U);
}

TEST(Bars, AnEjectedEndpointThatLeavesAndComesBackIsStillOut) {
  Pool pool(with_ejection(), 3);
  Ticket held = pool.pick_one(1);  // the slot lives on with it
  pool.answer(1, Outcome::kFailure, 5);
  pool.after(Duration::milliseconds(1));
  const Endpoint gone = pool.endpoints[1];
  pool.endpoints.erase(pool.endpoints.begin() + 1);
  pool.apply();
  EXPECT_EQ(pool.balancer.eligible(), 2U);
  pool.endpoints.insert(pool.endpoints.begin() + 1, gone);
  pool.apply();
  EXPECT_EQ(pool.balancer.eligible(), 2U);
  held.finish(Outcome::kCancelled, pool.now);
  pool.endpoints.erase(pool.endpoints.begin() + 1);
  pool.apply();
  pool.endpoints.insert(pool.endpoints.begin() + 1, gone);
  pool.apply();
  EXPECT_EQ(pool.balancer.eligible(), 3U) << "a newcomer by then";
}

TEST(Bars, case_F12_StatusAndPickerAgreeOnWhoIsEjected) {
  BalancerOptions off;
  Pool never(off, 2);
  never.answer(0, Outcome::kFailure, 50);
  never.after(Duration::seconds(1));
  EXPECT_EQ(never.status(0).reason, "eligible");
  EXPECT_TRUE(never.status(0).eligible);

  for (const PolicyInfo& info : policy_catalog()) {
    BalancerOptions options = with_ejection();
    options.policy.name = info.name;
    Pool pool(options, 5);
    pool.answer(3, Outcome::kFailure, 5);
    pool.answer(1, Outcome::kOverloaded, 1, Duration::seconds(5));
    pool.after(Duration::milliseconds(1));
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(pool.status(i).eligible, i != 3 && i != 1);
    for (int i = 0; i < 200; ++i) {
      const Key key{static_cast<std::uint64_t>(i) * 0x9e37'79b9'7f4a'7c15U,
                    static_cast<std::uint32_t>(i) * 0x9e37'79b9U};
      Ticket ticket = pool.balancer.pick({.now = pool.now, .tried = {}, .key = key}).value();
      EXPECT_NE(ticket.id(), EndpointId{3}) << info.name;
      EXPECT_NE(ticket.id(), EndpointId{1}) << info.name;
    }
  }
}

TEST(Bars, case_F16_LocalRefusalsChargeNobody) {
  BalancerOptions options = with_ejection();
  options.max_in_flight = 1;
  Pool pool(options, 1);
  Ticket one = pool.pick().value();
  const double cost = pool.status(0).cost;
  for (int i = 0; i < 99; ++i) {
    const auto refused = pool.pick();
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error(), PickError::kAllBusy);
  }
  pool.after(Duration::seconds(1));
  EXPECT_EQ(pool.status(0).reason, "full");
  EXPECT_EQ(pool.status(0).failures, 0U);
  one.finish(Outcome::kSuccess, pool.now);
  EXPECT_EQ(pool.status(0).reason, "eligible");
  EXPECT_LE(pool.status(0).cost, cost * 40);
  EXPECT_EQ(pool.hits(10)[0], 10);
}

TEST(Bars, case_F17_ClientsThatLeaveEjectNobody) {
  Pool pool(with_ejection(), 2);
  pool.answer(0, Outcome::kSuccess);
  const Duration before = pool.status(0).latency;
  for (int i = 0; i < 50; ++i) {
    Ticket ticket = pool.pick_one(0);
    pool.after(Duration::microseconds(1));
    ticket.finish(Outcome::kCancelled, pool.now);
  }
  pool.after(Duration::milliseconds(1));
  EXPECT_EQ(pool.balancer.eligible(), 2U);
  EXPECT_EQ(pool.status(0).failures, 0U);
  EXPECT_EQ(pool.status(0).cancelled, 50U);
  EXPECT_GE(pool.status(0).latency, before) << "a short wait given up is no fast answer";
}

TEST(Bars, case_F11_AllAtTheirLimitIsAnAnswerNotALoop) {
  for (const PolicyInfo& info : policy_catalog()) {
    BalancerOptions options;
    options.policy.name = info.name;
    options.max_in_flight = 1;
    Pool pool(options, 2);
    Ticket a = pool.pick().value();
    Ticket b = pool.pick().value();
    EXPECT_NE(a.id(), b.id()) << info.name;
    EXPECT_EQ(pool.pick().error(), PickError::kAllBusy) << info.name;
    const EndpointId freed = a.id();
    a.finish(Outcome::kSuccess, pool.now);
    const std::array<EndpointId, 1> tried = {freed};
    EXPECT_EQ(pool.pick(tried).error(), PickError::kAllBusy) << info.name;
    EXPECT_EQ(pool.pick().value().id(), freed) << info.name;
  }
}

TEST(Bars, TheLimitHoldsWhateverComesAndGoes) {
  Rng rng(seed_from_environment());
  for (const PolicyInfo& info : policy_catalog()) {
    BalancerOptions options;
    options.policy.name = info.name;
    options.max_in_flight = 3;
    Pool pool(options, 7);
    std::vector<Ticket> out;
    for (int i = 0; i < 4000; ++i) {
      pool.now = pool.now + Duration::milliseconds(1);
      if (rng.below(100) == 0) {
        pool.endpoints[rng.below(7)].draining = rng.below(2) == 0;
        pool.apply();
      }
      if (rng.below(5) < 3) {
        auto ticket = pool.balancer.pick({.now = pool.now, .tried = {}, .key = Key{rng.u64(), 7}});
        if (ticket) out.push_back(std::move(*ticket));
      } else if (!out.empty()) {
        std::swap(out[rng.below(out.size())], out.back());
        out.pop_back();
      }
      std::size_t free = 0;
      for (std::size_t e = 0; e < 7; ++e) {
        const EndpointStatus status = pool.status(e);
        ASSERT_LE(status.in_flight, 3U) << info.name;
        const bool usable = !pool.endpoints[e].draining && status.in_flight < 3;
        ASSERT_EQ(status.eligible, usable) << info.name << " " << status.reason;
        free += usable ? 1 : 0;
      }
      ASSERT_EQ(pool.balancer.eligible(), free);
    }
  }
}

TEST(Bars, accept_T24_RetryAfterIsHonouredAndCapped) {
  Pool pool({}, 4);
  pool.answer(0, Outcome::kOverloaded, 1, Duration::seconds(7));
  EXPECT_EQ(pool.hits(200)[0], 0) << "at once, not at the next tick";
  pool.after(Duration::from_seconds(6.9));
  EXPECT_EQ(pool.balancer.eligible(), 3U);
  pool.after(Duration::from_seconds(0.2));
  EXPECT_EQ(pool.balancer.eligible(), 4U);
  pool.answer(1, Outcome::kOverloaded, 1, Duration::seconds(86'400));
  pool.after(Duration::seconds(61));
  EXPECT_EQ(pool.balancer.eligible(), 4U);
}

TEST(Bars, OverloadNeverEjects) {
  Pool pool(with_ejection(), 3);
  pool.answer(0, Outcome::kOverloaded, 100);
  pool.after(Duration::milliseconds(1));
  EXPECT_EQ(pool.balancer.eligible(), 3U);
  EXPECT_GT(pool.status(0).cost, 2 * pool.status(1).cost);
  EXPECT_EQ(pool.status(0).overloaded, 100U);
}

TEST(Bars, case_F19_RefusedConnectsAreLeftOutAtOnce) {
  Pool pool({}, 10);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {  // 2 s at 200 a second
    pool.after(Duration::milliseconds(5));
    std::vector<EndpointId> tried;
    for (int attempt = 0; attempt < 3; ++attempt) {
      auto ticket = pool.pick(tried);
      ASSERT_TRUE(ticket.has_value());
      const EndpointId id = ticket->id();
      EXPECT_EQ(std::ranges::find(tried, id), tried.end());
      if (static_cast<std::size_t>(id) >= 5) {
        ticket->finish(Outcome::kSuccess, pool.now);
        break;
      }
      ++refused;
      tried.push_back(id);
      ticket->finish(Outcome::kConnectFailed, pool.now);
      EXPECT_LT(attempt, 2) << "request " << i << " failed";
    }
  }
  EXPECT_LE(refused, 5 * 3) << "each is asked again when its second is over";
}

TEST(Bars, accept_T08_PanicSpreadsAndIsSaid) {
  BalancerOptions options = with_ejection();
  options.panic = Panic::kAll;
  Pool pool(options, 5);
  for (Endpoint& endpoint : pool.endpoints) endpoint.up = false;
  pool.apply();
  EXPECT_EQ(pool.balancer.eligible(), 0U);
  const std::vector<int> hits = pool.hits(5000);
  for (const int hit : hits) EXPECT_LE(hit, 1200);
  EXPECT_EQ(pool.balancer.explain().candidates.at(0).note, "panic");
  std::vector<EndpointId> tried;
  for (int i = 0; i < 5; ++i) {
    Ticket ticket = pool.pick(tried).value();
    EXPECT_EQ(std::ranges::find(tried, ticket.id()), tried.end());
    tried.push_back(ticket.id());
  }
  EXPECT_EQ(pool.pick(tried).error(), PickError::kAllTried);

  Pool strict({.panic = Panic::kError}, 2);
  for (Endpoint& endpoint : strict.endpoints) endpoint.up = false;
  strict.apply();
  EXPECT_EQ(strict.pick().error(), PickError::kNoneEligible);
  Pool healthy(options, 10);
  healthy.endpoints[4].up = false;
  healthy.apply();
  EXPECT_EQ(healthy.hits(2000)[4], 0) << "no panic while one is eligible";
}

TEST(Bars, accept_T32_WarmUpGivesPartsOfAShareEvenWhenAllAreIdle) {
  for (const PolicyInfo& info : policy_catalog()) {
    if (info.uses_key) continue;           // affinity comes first there
    if (info.name == "go_left") continue;  // and there who stands left
    BalancerOptions options;
    options.policy.name = info.name;
    options.seed = seed_from_environment();
    options.warm_up.window = Duration::seconds(30);
    Pool pool(options, 9);
    pool.after(Duration::seconds(60));
    pool.endpoints.push_back(conformance::make_endpoint(9));
    pool.apply();
    double before = 0;
    for (const double at : {0.0, 10.0, 20.0, 40.0}) {
      pool.after(Duration::from_seconds(at) - Duration::from_seconds(before));
      before = at;
      constexpr int kPicks = 20'000;
      const double share = pool.hits(kPicks)[9] / (kPicks / 10.0);
      const double factor = std::min(1.0, 0.1 + 0.9 * at / 30);
      EXPECT_NEAR(share, factor, 0.15 + (factor < 1 ? 0.1 * factor : 0))
          << info.name << " at " << at;
      EXPECT_GE(share, 0.08) << info.name;
    }
  }
}

// Two old ones and six that warm up, five of which asked to be left alone: the sixth still gets its
// part, though its place among those that warm up is beyond the number of eligible ones.
TEST(Bars, WhoWarmsUpGetsItsPartWhenOthersOfThemAreBarred) {
  BalancerOptions options;
  options.policy.name = "p2c";
  options.seed = seed_from_environment();
  options.warm_up.window = Duration::seconds(30);
  Pool pool(options, 2);
  pool.after(Duration::seconds(60));
  for (std::size_t i = 2; i < 8; ++i) pool.endpoints.push_back(conformance::make_endpoint(i));
  pool.apply();
  for (std::size_t i = 2; i < 7; ++i) {
    pool.answer(i, Outcome::kOverloaded, 1, Duration::seconds(50));
  }
  pool.after(Duration::seconds(15));
  ASSERT_EQ(pool.balancer.eligible(), 3U);
  int parts = 0;
  for (int i = 0; i < 2000; ++i) {
    Ticket ticket = pool.pick().value();
    const Explanation why = pool.balancer.explain();
    parts += why.candidates.front().note == "warm-up" ? 1 : 0;
    ticket.finish(Outcome::kRejected, pool.now);
  }
  // One draw in six is its, at a factor of 0.55.
  EXPECT_NEAR(parts / 2000.0, 0.55 / 6, 0.03);
}

TEST(Bars, AllNewIsNoWarmUp) {
  BalancerOptions options;
  options.warm_up.window = Duration::seconds(30);
  Pool pool(options, 4);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(pool.status(i).warmup, 1);
}

TEST(Bars, WhoIsDownIsNotShownAsWarmingUp) {
  BalancerOptions options;
  options.warm_up.window = Duration::seconds(30);
  Pool pool(options, 2);
  pool.after(Duration::seconds(31));
  pool.endpoints.push_back(conformance::make_endpoint(2));
  pool.apply();
  ASSERT_NEAR(pool.status(2).warmup, 0.1, 0.01);
  pool.endpoints[2].up = false;
  pool.apply();
  EXPECT_EQ(pool.status(2).warmup, 1);
}

TEST(Bars, WarmUpBeginsAnewAfterAnEjection) {
  BalancerOptions options = with_ejection();
  options.warm_up.window = Duration::seconds(30);
  Pool pool(options, 3);
  for (int i = 0; i < 40; ++i) pool.after(Duration::seconds(1));
  pool.answer(0, Outcome::kFailure, 5);
  pool.after(Duration::milliseconds(1));
  pool.after(Duration::seconds(31));
  pool.pick().value().finish(Outcome::kSuccess, pool.now);
  pool.after(Duration::milliseconds(1));
  EXPECT_TRUE(pool.status(0).eligible);
  EXPECT_NEAR(pool.status(0).warmup, 0.1, 0.01);
  EXPECT_EQ(pool.status(1).warmup, 1);
}

}  // namespace
}  // namespace evener
