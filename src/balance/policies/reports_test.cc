// Policies that take reports, by Ticket::report and by Balancer::report.
#include <gtest/gtest.h>

#include "balance/conformance.h"
#include "balance/per_member.h"
#include "balance/reported_load.h"

namespace evener {
namespace {

std::uint64_t seed() { return conformance::seed_from_environment(); }

Time at_s(double s) { return Time() + Duration::from_seconds(s); }

struct Pool {
  Pool(const char* policy, std::size_t n)
      : balancer({.policy = {.name = policy}, .seed = seed()}), n(n) {
    balancer.apply(EndpointSet::make(1, conformance::make_endpoints(n)).value(), Time());
  }

  // Shares over 10,000 picks that end at once.
  std::vector<double> shares(Time now) {
    std::vector<double> out(n);
    for (int i = 0; i < 10'000; ++i) {
      Ticket ticket = balancer.pick({.now = now, .tried = {}, .key = {}}).value();
      out[static_cast<std::size_t>(ticket.id())] += 1e-4;
      ticket.finish(Outcome::kRejected, now);
    }
    return out;
  }
  void say(std::uint64_t id, const EndpointReport& report, Time now) {
    balancer.report(EndpointId{id}, report, now);
  }

  Balancer balancer;
  std::size_t n;
};

TEST(Reported, TheFullerOneLosesWhileItsReportIsFresh) {
  Pool pool("reported", 4);
  pool.say(0, {.utilization = 0.9}, at_s(0));
  for (std::uint64_t id = 1; id < 4; ++id) pool.say(id, {.utilization = 0.3}, at_s(0));
  EXPECT_EQ(pool.shares(at_s(1))[0], 0);
  EXPECT_EQ(pool.shares(at_s(9.9))[0], 0);
  // Everybody's has faded to the mean, 0.45.
  EXPECT_NEAR(pool.shares(at_s(21))[0], 0.25, 0.03);
  // Half faded it still counts: 0.675 against 0.375.
  EXPECT_EQ(pool.shares(at_s(15))[0], 0);
}

TEST(Reported, TheSilentCountAsTheMean) {
  Pool pool("reported", 3);
  pool.say(0, {.utilization = 0.2}, at_s(0));
  pool.say(1, {.utilization = 0.6}, at_s(0));
  const std::vector<double> shares = pool.shares(at_s(1));
  EXPECT_NEAR(shares[0], 2.0 / 3, 0.03) << "0.2 wins both its pairs";
  EXPECT_NEAR(shares[2], 1.0 / 3, 0.03) << "0.4 wins one";
  EXPECT_EQ(shares[1], 0);
}

TEST(Reported, ATicketReportsToo) {
  Pool pool("reported", 2);
  Ticket ticket = pool.balancer.pick({.now = at_s(0), .tried = {}, .key = {}}).value();
  const auto id = static_cast<std::size_t>(ticket.id());
  ticket.report({.utilization = 5}, at_s(0));
  pool.say(1 - id, {.utilization = 0}, at_s(0));
  ticket.finish(Outcome::kSuccess, at_s(0));
  EXPECT_EQ(pool.shares(at_s(0))[id], 0);
  // Full is at most fifty times as costly: with 60 in flight the idle full one is taken.
  std::vector<Ticket> held;
  for (int i = 0; i < 60; ++i) {
    held.push_back(pool.balancer.pick({.now = at_s(0), .tried = {}, .key = {}}).value());
  }
  EXPECT_GE(std::ranges::count(held, EndpointId{id}, &Ticket::id), 1);
  EXPECT_LE(std::ranges::count(held, EndpointId{id}, &Ticket::id), 2);
}

TEST(Reported, NonsenseIsIgnoredAndALeaverTakesItsReportAlong) {
  Pool pool("reported", 2);
  pool.say(0, {.utilization = -1}, at_s(0));
  pool.say(0, {.in_flight = 7}, at_s(0));
  EXPECT_NEAR(pool.shares(at_s(0))[0], 0.5, 0.05);
  pool.say(0, {.utilization = 0.9}, at_s(0));
  pool.say(1, {.utilization = 0.1}, at_s(0));
  EXPECT_EQ(pool.shares(at_s(0))[0], 0);
  std::vector<Endpoint> endpoints = conformance::make_endpoints(2);
  pool.balancer.apply(EndpointSet::make(2, std::vector{endpoints[1]}).value(), at_s(0));
  pool.balancer.apply(EndpointSet::make(3, endpoints).value(), at_s(0));
  EXPECT_NEAR(pool.shares(at_s(0))[0], 0.5, 0.05) << "it counts as the mean: 0.1";
}

TEST(Lsq, AReportSetsTheEstimateAtOnce) {
  Pool pool("lsq", 8);
  pool.say(3, {.in_flight = 1000}, at_s(0));
  EXPECT_EQ(pool.shares(at_s(0.5))[3], 0) << "a refresh within a second keeps to the report";
  EXPECT_NEAR(pool.shares(at_s(1.5))[3], 0.125, 0.03) << "then to the own view";
}

TEST(ReportedLoad, FollowsWhatWasSentSince) {
  Slot slot;
  slot.in_flight = 4;
  slot.elsewhere = 2;
  ReportedLoad load;
  EXPECT_EQ(load.at(slot, at_s(0)), 6U);
  load.take(10, slot, at_s(0));
  EXPECT_EQ(load.at(slot, at_s(0)), 10U);
  slot.in_flight = 6;
  EXPECT_EQ(load.at(slot, at_s(1)), 12U);
  slot.in_flight = 0;
  EXPECT_EQ(load.at(slot, at_s(1)), 6U);
  EXPECT_EQ(load.at(slot, at_s(1.1)), 2U) << "stale";
  slot.in_flight = 5;
  load.take(0, slot, at_s(2));
  EXPECT_EQ(load.at(slot, at_s(2)), 5U) << "never below the own";
}

TEST(Prequal, ReportedLatencyAndLoadDecideWhileFresh) {
  Pool pool("prequal", 12);
  for (std::uint64_t id = 0; id < 12; ++id) {
    const Duration latency = Duration::milliseconds(id < 6 ? 10 : 50);
    pool.say(id, {.in_flight = 1, .latency = latency}, at_s(0));
  }
  std::vector<double> shares = pool.shares(at_s(0.5));
  double fast = 0;
  for (std::size_t i = 0; i < 6; ++i) fast += shares[i];
  // Three of twelve at random, and what the pool keeps: hardly ever all slow.
  EXPECT_GT(fast, 0.8);
  shares = pool.shares(at_s(2));
  fast = 0;
  for (std::size_t i = 0; i < 6; ++i) fast += shares[i];
  EXPECT_NEAR(fast, 0.5, 0.1);
}

TEST(PerMember, BeginsAnewForWhoeverWasAway) {
  std::vector<Endpoint> endpoints = conformance::make_endpoints(3);
  std::vector<const Endpoint*> at = {&endpoints[0], &endpoints[1]};
  std::vector<Slot> slots(2);
  std::vector<std::uint32_t> members = {0, 1};
  AliasTable table;
  const CostModel model(Duration::seconds(1), Duration::nanoseconds(1), Duration::seconds(1));
  PerMember<int> values;
  const auto update = [&] {
    values.update(
        {.slots = slots, .members = members, .by_weight = table, .model = model, .endpoints = at});
  };
  update();
  values[0] = 7;
  values[1] = 8;
  update();
  EXPECT_EQ(values[0], 7);
  at[1] = &endpoints[2];
  update();
  EXPECT_EQ(values[1], 0) << "another endpoint";
  values[1] = 9;
  members = {0};
  update();
  members = {0, 1};
  update();
  EXPECT_EQ(values[0], 7);
  EXPECT_EQ(values[1], 0) << "it was away";
}

}  // namespace
}  // namespace evener
