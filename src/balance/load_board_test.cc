#include <evener/balancer.h>
#include <evener/load_board.h>
#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "balance/conformance.h"

namespace evener {
namespace {

using conformance::make_endpoint;
using conformance::make_endpoints;

Time at_ms(std::int64_t ms) { return Time() + Duration::milliseconds(ms); }

TEST(LoadBoard, AddsUpTheOthers) {
  LoadBoard board(3, 40);
  board.publish(0, 39, 5);
  board.publish(1, 39, 7);
  board.publish(2, 39, std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(board.elsewhere(2, 39), 12U);
  EXPECT_EQ(board.elsewhere(0, 39), std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(board.elsewhere(0, 38), 0U);
  EXPECT_EQ(board.published(1, 39), 7U);
}

std::uint32_t elsewhere_of(const Balancer& balancer, std::uint64_t id) {
  std::vector<EndpointStatus> all;
  balancer.snapshot(Time(), all);
  for (const EndpointStatus& status : all) {
    if (status.id == EndpointId{id}) return status.elsewhere;
  }
  return 0;
}

TEST(LoadBoard, BalancersSeeEachOtherAcrossSets) {
  Balancer a({.policy = {.name = "p2c"}, .worker = 0});
  Balancer b({.policy = {.name = "p2c"}, .worker = 1});
  const EndpointSetPtr first = EndpointSet::make(1, make_endpoints(2), 2).value();
  a.apply(first, at_ms(0));
  b.apply(first, at_ms(0));
  const EndpointId only_one[] = {EndpointId{0}};
  std::vector<Ticket> out;
  for (int i = 0; i < 3; ++i) out.push_back(a.pick({.now = at_ms(0), .tried = only_one}).value());
  b.tick(at_ms(1));
  EXPECT_EQ(elsewhere_of(b, 1), 3U);
  // One worker's load moves the other's choice.
  for (int i = 0; i < 20; ++i) {
    Ticket ticket = b.pick({.now = at_ms(1)}).value();
    EXPECT_EQ(ticket.id(), EndpointId{0});
    ticket.finish(Outcome::kRejected, at_ms(1));
  }
  // A new set, other order, one more endpoint: counts move to the new board with each apply.
  const EndpointSetPtr second =
      EndpointSet::make(2, {make_endpoint(5), make_endpoint(1), make_endpoint(0)}, 2).value();
  a.apply(second, at_ms(2));
  b.apply(second, at_ms(2));
  EXPECT_EQ(elsewhere_of(b, 1), 3U);
  out.clear();
  b.tick(at_ms(3));
  EXPECT_EQ(elsewhere_of(b, 1), 0U);
}

TEST(LoadBoard, WithoutABoardNobodyIsElsewhere) {
  Balancer a({.policy = {.name = "p2c"}, .max_in_flight = 2});
  Balancer b({.policy = {.name = "p2c"}, .worker = 1});
  const EndpointSetPtr shared = EndpointSet::make(1, make_endpoints(1), 2).value();
  a.apply(shared, at_ms(0));
  b.apply(shared, at_ms(0));
  const Ticket one = b.pick({.now = at_ms(0)}).value();
  const Ticket two = b.pick({.now = at_ms(0)}).value();
  a.tick(at_ms(1));
  ASSERT_EQ(elsewhere_of(a, 0), 2U);
  ASSERT_EQ(a.eligible(), 0U);
  a.apply(EndpointSet::make(2, make_endpoints(1)).value(), at_ms(2));
  EXPECT_EQ(elsewhere_of(a, 0), 0U);
  EXPECT_EQ(a.eligible(), 1U);
}

TEST(LoadBoard, AnEndpointThatLeftIsNotPublished) {
  Balancer a({.worker = 0});
  a.apply(EndpointSet::make(1, make_endpoints(1), 2).value(), at_ms(0));
  Ticket late = a.pick({.now = at_ms(0)}).value();
  const EndpointSetPtr next = EndpointSet::make(2, {make_endpoint(9)}, 2).value();
  a.apply(next, at_ms(1));
  late.finish(Outcome::kSuccess, at_ms(2));
  EXPECT_EQ(next->board()->published(0, 0), 0U);
}

TEST(LoadBoard, ALargePoolIsFoldedInSlices) {
  const EndpointSetPtr set = EndpointSet::make(1, make_endpoints(10'000), 2).value();
  Balancer a({.worker = 0});
  a.apply(set, at_ms(0));
  for (std::size_t i = 0; i < 10'000; ++i) set->board()->publish(1, i, 2);
  a.tick(at_ms(1));
  EXPECT_EQ(elsewhere_of(a, 0), 2U);
  EXPECT_EQ(elsewhere_of(a, 9'999), 0U);
  a.tick(at_ms(2));
  a.tick(at_ms(3));
  EXPECT_EQ(elsewhere_of(a, 9'999), 2U);
}

// Every thread has its own balancer; what they share is the sets and their boards.
TEST(LoadBoard, accept_T20_ThirtyTwoWorkersChurn) {
  constexpr std::uint32_t kWorkers = 32;
  std::vector<EndpointSetPtr> sets;
  for (std::uint64_t version = 1; version <= 3; ++version) {
    std::vector<Endpoint> endpoints = make_endpoints(8 + version);
    endpoints[version].up = false;
    endpoints.erase(endpoints.begin());
    sets.push_back(EndpointSet::make(version, std::move(endpoints), kWorkers).value());
  }
  const auto work = [&sets](std::uint32_t worker) {
    Balancer balancer({.policy = {.name = "p2c"}, .seed = worker, .worker = worker});
    Rng rng(worker);
    std::vector<Ticket> out(16);
    for (std::int64_t i = 0; i < 4000; ++i) {
      if (i % 97 == 0) balancer.apply(sets[rng.below(sets.size())], at_ms(i));
      Ticket& oldest = out[static_cast<std::size_t>(i % 16)];
      if (rng.below(3) != 0) oldest.finish(Outcome::kSuccess, at_ms(i));
      oldest = balancer.pick({.now = at_ms(i)}).value();
      if (i % 50 == 0) balancer.tick(at_ms(i));
    }
    balancer.apply(sets[0], at_ms(4000));
    out.clear();
    EXPECT_EQ(balancer.in_flight(), 0U);
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t worker = 0; worker < kWorkers; ++worker) threads.emplace_back(work, worker);
  }
  for (std::uint32_t worker = 0; worker < kWorkers; ++worker) {
    for (std::size_t i = 0; i < sets[0]->size(); ++i) {
      EXPECT_EQ(sets[0]->board()->published(worker, i), 0U);
    }
  }
}

}  // namespace
}  // namespace evener
