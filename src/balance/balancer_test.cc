#include <evener/balancer.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "balance/conformance.h"

namespace evener {
namespace {

using conformance::make_endpoint;
using conformance::make_endpoints;
using ::testing::HasSubstr;

Time at_ms(std::int64_t ms) { return Time() + Duration::milliseconds(ms); }

EndpointSetPtr set_of(std::vector<Endpoint> endpoints) {
  return EndpointSet::make(1, std::move(endpoints)).value();
}

EndpointStatus status_of(const Balancer& balancer, std::uint64_t id, Time now = Time()) {
  std::vector<EndpointStatus> all;
  balancer.snapshot(now, all);
  for (const EndpointStatus& status : all) {
    if (status.id == EndpointId{id}) return status;
  }
  return {};
}

TEST(Balancer, WithoutASetThereAreNoEndpoints) {
  Balancer balancer({});
  EXPECT_EQ(balancer.pick({}).error(), PickError::kNoEndpoints);
  balancer.tick(at_ms(1));
  EXPECT_EQ(balancer.explain().sequence, 0U);
  EXPECT_EQ(balancer.set(), nullptr);
}

TEST(Ticket, accept_T19_EveryWayOutGivesTheUnitBackOnce) {
  Balancer balancer({});
  balancer.apply(set_of(make_endpoints(2)), at_ms(0));
  const auto pick = [&] { return balancer.pick({.now = at_ms(0)}).value(); };
  {
    Ticket dropped = pick();
    Ticket moved = std::move(dropped);
    Ticket assigned = pick();
    assigned = std::move(moved);
    EXPECT_EQ(balancer.in_flight(), 1U);
    Ticket& self = assigned;
    assigned = std::move(self);
    EXPECT_EQ(balancer.in_flight(), 1U);
  }
  EXPECT_EQ(balancer.in_flight(), 0U);
  Ticket twice = pick();
  twice.finish(Outcome::kSuccess, at_ms(1));
  twice.finish(Outcome::kFailure, at_ms(2));
  twice.first_byte(at_ms(3));
  EXPECT_FALSE(twice);
  Ticket().finish(Outcome::kSuccess, at_ms(1));
  EXPECT_EQ(balancer.in_flight(), 0U);
  std::uint64_t successes = 0;
  std::uint64_t failures = 0;
  std::uint64_t cancelled = 0;
  for (const std::uint64_t id : {0U, 1U}) {
    successes += status_of(balancer, id).successes;
    failures += status_of(balancer, id).failures;
    cancelled += status_of(balancer, id).cancelled;
  }
  EXPECT_EQ(successes, 1U);
  EXPECT_EQ(failures, 0U);
  EXPECT_EQ(cancelled, 2U);
}

TEST(Ticket, accept_T21_CountsFromThePickOn) {
  Balancer balancer({});
  balancer.apply(set_of(make_endpoints(1)), at_ms(0));
  const Ticket ticket = balancer.pick({.now = at_ms(0)}).value();
  EXPECT_EQ(status_of(balancer, 0).in_flight, 1U);
  EXPECT_EQ(ticket.started(), at_ms(0));
}

TEST(Ticket, OutlivesItsBalancer) {
  Ticket one;
  Ticket two;
  {
    Balancer balancer({});
    balancer.apply(set_of(make_endpoints(3)), at_ms(0));
    one = balancer.pick({.now = at_ms(0)}).value();
    two = balancer.pick({.now = at_ms(0)}).value();
    Balancer moved = std::move(balancer);
    moved = Balancer({});
  }
  EXPECT_EQ(one.endpoint().name[0], 'e');
  one.first_byte(at_ms(1));
  one.finish(Outcome::kSuccess, at_ms(5));
  two = Ticket();
}

TEST(Ticket, KeepsItsEndpointWhenItLeaves) {
  Balancer balancer({});
  balancer.apply(set_of(make_endpoints(1)), at_ms(0));
  Ticket ticket = balancer.pick({.now = at_ms(0)}).value();
  const Endpoint& endpoint = ticket.endpoint();
  balancer.apply(set_of({make_endpoint(7)}), at_ms(1));
  EXPECT_EQ(endpoint.name, "e0");
  EXPECT_EQ(balancer.in_flight(), 1U);
  EXPECT_EQ(status_of(balancer, 7).in_flight, 0U);
  ticket.finish(Outcome::kFailure, at_ms(2));
  EXPECT_EQ(status_of(balancer, 7).failures, 0U);
  EXPECT_EQ(balancer.in_flight(), 0U);
}

TEST(Ticket, AReturningEndpointFindsItsCountsWhileTicketsAreOut) {
  Balancer balancer({});
  balancer.apply(set_of(make_endpoints(1)), at_ms(0));
  Ticket ticket = balancer.pick({.now = at_ms(0)}).value();
  balancer.apply(set_of({}), at_ms(1));
  balancer.apply(set_of(make_endpoints(1)), at_ms(2));
  EXPECT_EQ(status_of(balancer, 0).in_flight, 1U);
  ticket.finish(Outcome::kSuccess, at_ms(10));
  EXPECT_EQ(status_of(balancer, 0).in_flight, 0U);
  EXPECT_EQ(status_of(balancer, 0).successes, 1U);
  // With no ticket out, it is a newcomer.
  balancer.apply(set_of({}), at_ms(11));
  balancer.apply(set_of(make_endpoints(1)), at_ms(12));
  EXPECT_EQ(status_of(balancer, 0).successes, 0U);
}

TEST(Balancer, CountsSurviveReorderingWeightsAndStatus) {
  Balancer balancer({.policy = {.name = "random"}});
  balancer.apply(set_of(make_endpoints(3)), at_ms(0));
  std::vector<Ticket> out;
  for (int i = 0; i < 30; ++i) out.push_back(balancer.pick({.now = at_ms(0)}).value());
  std::uint32_t before[3];
  for (std::uint64_t i = 0; i < 3; ++i) before[i] = status_of(balancer, i).in_flight;
  std::vector<Endpoint> next = {make_endpoint(2, 5), make_endpoint(9), make_endpoint(0),
                                make_endpoint(1)};
  next[0].up = false;
  next[2].draining = true;
  balancer.apply(set_of(next), at_ms(1));
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(status_of(balancer, i).in_flight, before[i]);
  EXPECT_EQ(status_of(balancer, 2).weight, 5);
  EXPECT_EQ(status_of(balancer, 2).reason, "down");
  EXPECT_EQ(status_of(balancer, 0).reason, "draining");
  EXPECT_EQ(status_of(balancer, 1).reason, "eligible");
  EXPECT_EQ(balancer.eligible(), 2U);
}

TEST(Balancer, SlotsAreReused) {
  Balancer balancer({});
  for (std::uint64_t round = 0; round < 100; ++round) {
    balancer.apply(set_of({make_endpoint(round), make_endpoint(round + 1)}), at_ms(0));
    Ticket ticket = balancer.pick({.now = at_ms(0)}).value();
    EXPECT_EQ(status_of(balancer, round + 1).failures, 0U);
    ticket.finish(Outcome::kFailure, at_ms(0));
    balancer.apply(set_of({make_endpoint(1000 + round)}), at_ms(0));
  }
}

TEST(Balancer, ExplainShowsEveryTermAndEveryReason) {
  Balancer balancer({});
  std::vector<Endpoint> endpoints = make_endpoints(5);
  endpoints[3].up = false;
  endpoints[4].draining = true;
  endpoints[1].weight = 2;
  balancer.apply(set_of(endpoints), at_ms(0));
  const EndpointId tried[] = {EndpointId{2}};
  const Ticket ticket = balancer.pick({.now = at_ms(5), .tried = tried}).value();
  const Explanation why = balancer.explain();
  EXPECT_EQ(why.sequence, 1U);
  EXPECT_EQ(why.policy, "peak_ewma");
  ASSERT_EQ(why.candidates.size(), 2U);
  ASSERT_EQ(why.excluded.size(), 3U);
  EXPECT_EQ(why.excluded[0].reason, "tried");
  EXPECT_EQ(why.excluded[1].reason, "down");
  EXPECT_EQ(why.excluded[2].reason, "draining");
  int chosen = 0;
  for (const Explanation::Candidate& c : why.candidates) {
    chosen += c.chosen ? 1 : 0;
    EXPECT_EQ(c.chosen, c.id == ticket.id());
    EXPECT_NEAR(c.cost,
                static_cast<double>(c.latency.ns()) * (c.in_flight + c.elsewhere + 1) /
                    (c.weight * c.warmup * c.success),
                1e-3 * c.cost);
  }
  EXPECT_EQ(chosen, 1);
  EXPECT_THAT(to_string(why), HasSubstr("* e1: cost"));
  EXPECT_THAT(to_string(why), HasSubstr("- e3: down"));
}

TEST(Balancer, RetriesNeverRepeatAnEndpoint) {
  for (const PolicyInfo& info : policy_catalog()) {
    Balancer balancer({.policy = {.name = std::string(info.name)}});
    balancer.apply(set_of(make_endpoints(40)), at_ms(0));
    std::vector<EndpointId> tried;
    for (int i = 0; i < 40; ++i) {
      Ticket ticket = balancer.pick({.now = at_ms(i), .tried = tried}).value();
      EXPECT_THAT(tried, ::testing::Not(::testing::Contains(ticket.id()))) << info.name;
      tried.push_back(ticket.id());
    }
    EXPECT_EQ(balancer.pick({.now = at_ms(40), .tried = tried}).error(), PickError::kAllTried);
  }
}

TEST(Balancer, SameSeedSamePicks) {
  for (const PolicyInfo& info : policy_catalog()) {
    const auto run = [&](std::uint64_t seed) {
      Balancer balancer({.policy = {.name = std::string(info.name)}, .seed = seed});
      balancer.apply(set_of(make_endpoints(10)), at_ms(0));
      std::vector<EndpointId> ids;
      for (int i = 0; i < 200; ++i) {
        Ticket ticket = balancer.pick({.now = at_ms(i)}).value();
        ids.push_back(ticket.id());
        ticket.finish(Outcome::kSuccess, at_ms(i + 1));
      }
      return ids;
    };
    EXPECT_EQ(run(1), run(1)) << info.name;
    EXPECT_NE(run(1), run(2)) << info.name;
  }
}

TEST(Balancer, ClockStandingStillOrGoingBackBreaksNothing) {
  Balancer balancer({});
  balancer.apply(set_of(make_endpoints(3)), at_ms(1000));
  for (int i = 0; i < 100; ++i) {
    Ticket ticket = balancer.pick({.now = at_ms(1000 - 10 * i)}).value();
    ticket.finish(Outcome::kSuccess, at_ms(900 - 10 * i));
    balancer.tick(at_ms(500 - i));
  }
  for (std::uint64_t id = 0; id < 3; ++id) {
    EXPECT_GE(status_of(balancer, id, at_ms(0)).latency, Duration::nanoseconds(1));
  }
}

}  // namespace
}  // namespace evener
