// The rules that count: shares by enumeration.
#include <gmock/gmock.h>

#include "lab/peers/rule_test.h"

namespace evener::lab::peers {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

// 40,000 draws: the standard deviation of a share is at most 0.0025.
constexpr int kDraws = 40'000;
constexpr double kTolerance = 0.012;

auto near(double value) { return DoubleNear(value, kTolerance); }

TEST(PeerCounts, WithReplacementTheBusierOfTwoGetsAQuarter) {
  for (const auto* name : {"envoy_least_request", "grpc_least_request"}) {
    Driver driver(name, 2);
    driver.put(1);
    EXPECT_THAT(driver.shares(kDraws), ElementsAre(near(0.75), near(0.25))) << name;
  }
}

TEST(PeerCounts, DistinctDrawsGiveTheBusierOfTwoNothing) {
  for (const auto* name : {"finagle_p2c_least_loaded", "yarp_power_of_two", "traefik_p2c"}) {
    Driver driver(name, 2);
    driver.put(1);
    EXPECT_EQ(driver.shares(1000)[1], 0) << name;
  }
}

TEST(PeerCounts, RankLaws) {
  const auto shares = [](const char* name) {
    Driver driver(name, 4);
    for (std::uint32_t s = 0; s < 4; ++s) driver.put_many(s, static_cast<int>(2 * s));
    return driver.shares(kDraws);
  };
  for (const auto* name : {"finagle_p2c_least_loaded", "yarp_power_of_two"}) {
    EXPECT_THAT(shares(name), ElementsAre(near(6 / 12.), near(4 / 12.), near(2 / 12.), near(0)));
  }
  for (const auto* name : {"envoy_least_request", "grpc_least_request", "haproxy_random2"}) {
    EXPECT_THAT(shares(name),
                ElementsAre(near(7 / 16.), near(5 / 16.), near(3 / 16.), near(1 / 16.)));
  }
  EXPECT_THAT(shares("traefik_p2c"),
              ElementsAre(near(8 / 16.), near(5 / 16.), near(3 / 16.), near(0)))
      << "neighbours meet in 3 of 16 pairs, others in 2";
}

TEST(PeerCounts, EnvoySchedulesByWeightOverActivePlusOne) {
  Driver idle("envoy_least_request", {1, 3});
  EXPECT_EQ(idle.peek(), 1U) << "the first pick favours the heaviest";
  EXPECT_THAT(idle.shares(4000), ElementsAre(DoubleNear(0.25, 0.001), DoubleNear(0.75, 0.001)));
  Driver busy("envoy_least_request", {1, 3});
  busy.put_many(1, 3);
  busy.shares(100);
  EXPECT_THAT(busy.shares(7000), ElementsAre(DoubleNear(4 / 7., 0.002), DoubleNear(3 / 7., 0.002)))
      << "1 against 3 / 4, never drained";
}

TEST(PeerCounts, HaproxyDrawsAndComparesByWeight) {
  Driver driver("haproxy_random2", {1, 3});
  driver.put(0);
  driver.put_many(1, 2);
  EXPECT_THAT(driver.shares(kDraws), ElementsAre(near(1 / 16.), near(15 / 16.)))
      << "1 / 1 loses to 2 / 3 unless both draws fall on it";
}

TEST(PeerCounts, HaproxyBreaksTiesByTheLastSecond) {
  double recent = 0;
  double forgotten = 0;
  constexpr int kRuns = 4000;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    Driver driver("haproxy_random2", 2, seed);
    driver.serve(0, ms(1));
    recent += driver.peek() == 0 ? 1.0 / kRuns : 0;
    driver.advance(ms(1500));
    forgotten += driver.peek() == 0 ? 1.0 / kRuns : 0;
  }
  EXPECT_NEAR(recent, 0.25, 0.03);
  EXPECT_NEAR(forgotten, 0.5, 0.03);
}

TEST(PeerCounts, HaproxyLeastconnTakesTheLeastPerWeightAndEqualsInTurn) {
  Driver equal("haproxy_leastconn", 3);
  std::vector<std::uint32_t> seen;
  for (int i = 0; i < 6; ++i) seen.push_back(equal.peek());
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 0, 1, 2));
  Driver weighted("haproxy_leastconn", {2, 1});
  weighted.put(0);
  weighted.put(1);
  EXPECT_EQ(weighted.peek(), 0U);
  weighted.put_many(0, 2);
  EXPECT_EQ(weighted.peek(), 1U) << "3 / 2 against 1";
}

TEST(PeerCounts, Baselines) {
  Driver turns("round_robin", 4);
  EXPECT_THAT(turns.shares(400), ElementsAre(near(.25), near(.25), near(.25), near(.25)));
  Driver random("random", 4);
  random.put_many(0, 9);
  EXPECT_THAT(random.shares(kDraws), ElementsAre(near(.25), near(.25), near(.25), near(.25)));
}

}  // namespace
}  // namespace evener::lab::peers
