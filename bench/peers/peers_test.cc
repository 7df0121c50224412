// Each peer picks what its formula says in cases worked out by hand.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <thread>
#include <vector>

#include "brpc_p2c.h"
#include "envoy_least_request.h"
#include "go_zero_p2c.h"
#include "tower_peak_ewma.h"
#include "yarpc_heap.h"

namespace evener::peers {
namespace {

Time at_ms(std::int64_t ms) { return Time() + Duration::milliseconds(ms); }

// A request to exactly this endpoint, whatever the rule would pick.
template <typename Peer>
void answer(Peer& peer, Caller& caller, std::uint32_t endpoint, Time start, Time end,
            bool success = true) {
  std::vector<Pending> others;
  for (;;) {
    const Pending pending = peer.pick(caller, start);
    if (pending.endpoint == endpoint) {
      peer.finish(caller, pending, success, end);
      break;
    }
    others.push_back(pending);
  }
  // At its start: no latency, so brpc ignores them.
  for (const Pending& pending : others) peer.finish(caller, pending, true, start);
}

TEST(BrpcP2c, ScoresByItsFormula) {
  Caller caller{Rng(1)};
  BrpcP2c peer(2, 1);
  EXPECT_EQ(peer.score(0, 0), 1) << "unknown counts as 1 us";
  answer(peer, caller, 0, at_ms(1000), at_ms(1020));
  EXPECT_EQ(peer.score(0, 1'020'000), 20'000);
  EXPECT_NEAR(peer.score(0, 11'020'000), 20'000 / std::exp(1.0), 1e-6) << "decays with tau 10 s";
  EXPECT_EQ(peer.pick(caller, at_ms(1020)).endpoint, 1U);
  EXPECT_EQ(peer.score(1, 1'020'000), 2) << "times requests in flight + 1";
  EXPECT_EQ(peer.pick(caller, at_ms(1020)).endpoint, 1U);
}

TEST(BrpcP2c, RisesAtOnceFallsByTimeAndPunishesFailures) {
  Caller caller{Rng(1)};
  BrpcP2c peer(1, 1);
  answer(peer, caller, 0, at_ms(0), at_ms(10));
  answer(peer, caller, 0, at_ms(10), at_ms(50));
  EXPECT_EQ(peer.score(0, 50'000), 40'000);
  answer(peer, caller, 0, at_ms(10'040), at_ms(10'050));  // 10 s later: w = 1/e
  const double w = std::exp(-1.0);
  EXPECT_NEAR(peer.score(0, 10'050'000), 40'000 * w + 10'000 * (1 - w), 1);
  answer(peer, caller, 0, at_ms(10'050), at_ms(10'051), false);
  EXPECT_EQ(peer.score(0, 10'051'000), 500'000) << "the time-out";
  answer(peer, caller, 0, at_ms(10'051), at_ms(10'052), false);
  EXPECT_EQ(peer.score(0, 10'052'000), 1'000'000) << "twice what is known";
  for (int i = 0; i < 10; ++i) answer(peer, caller, 0, at_ms(10'052), at_ms(10'053), false);
  EXPECT_EQ(peer.score(0, 10'053'000), 30'000'000);
}

TEST(GoZeroP2c, LoadIsTheRootOfLatencyTimesInFlight) {
  Caller caller{Rng(1)};
  GoZeroP2c peer(2, 1);
  EXPECT_EQ(peer.load(0), 1);
  // At time 0 nothing was "not picked for a second"; of equals the first.
  const Pending first = peer.pick(caller, Time());
  EXPECT_EQ(first.endpoint, 0U);
  peer.finish(caller, first, true, at_ms(16));
  EXPECT_EQ(peer.load(0), 4000) << "floor(sqrt(16,000,001))";
  EXPECT_EQ(peer.pick(caller, at_ms(16)).endpoint, 1U);
  EXPECT_EQ(peer.load(1), 2);
  EXPECT_EQ(peer.pick(caller, at_ms(999)).endpoint, 1U);
  EXPECT_EQ(peer.pick(caller, at_ms(1001)).endpoint, 0U) << "its turn after a second";
}

TEST(GoZeroP2c, AFailureLowersSuccessByElapsedTime) {
  Caller caller{Rng(1)};
  GoZeroP2c peer(1, 1);
  peer.finish(caller, peer.pick(caller, at_ms(0)), true, at_ms(1));
  EXPECT_TRUE(peer.healthy(0));
  peer.finish(caller, peer.pick(caller, at_ms(5000)), false, at_ms(5001));
  EXPECT_TRUE(peer.healthy(0)) << "1000 e^(-1/2) = 606";
  peer.finish(caller, peer.pick(caller, at_ms(10'000)), false, at_ms(10'001));
  EXPECT_FALSE(peer.healthy(0)) << "1000 e^(-1) = 367";
}

TEST(GoZeroP2c, DrawsThreePairsForTwoHealthyOnes) {
  Caller caller{Rng(1)};
  GoZeroP2c peer(3, 1);
  for (std::uint32_t i = 0; i < 3; ++i) answer(peer, caller, i, at_ms(0), at_ms(10));
  Pending fast = peer.pick(caller, at_ms(20'000));
  while (fast.endpoint != 2) fast = peer.pick(caller, at_ms(20'000));  // the others keep theirs
  peer.finish(caller, fast, false, at_ms(20'001));
  ASSERT_FALSE(peer.healthy(2));
  // All three pairs have it with (2/3)^3; then its latency, now the lowest, wins.
  int hits = 0;
  constexpr int kPicks = 20'000;
  for (int i = 0; i < kPicks; ++i) {
    Pending pending = peer.pick(caller, at_ms(20'001));
    hits += pending.endpoint == 2 ? 1 : 0;
    pending.start = at_ms(19'991);  // the others' latency stays 10 ms; 2 has no time to change
    peer.finish(caller, pending, pending.endpoint != 2, at_ms(20'001));
  }
  EXPECT_NEAR(hits / static_cast<double>(kPicks), 8.0 / 27, 0.02);
}

TEST(TowerPeakEwma, CostsByItsFormulaAndReadsMove) {
  Caller caller{Rng(1)};
  TowerPeakEwma peer(2, 1);
  EXPECT_EQ(peer.load(0, Time()), 30e6) << "the default RTT";
  answer(peer, caller, 0, at_ms(0), at_ms(100));
  EXPECT_EQ(peer.load(0, at_ms(100)), 100e6);
  const double half_way = peer.load(0, at_ms(5100));
  EXPECT_NEAR(half_way, 100e6 * std::exp(-0.5), 1);
  EXPECT_NEAR(peer.load(0, at_ms(10'100)), 100e6 * std::exp(-1.0), 1);
  EXPECT_EQ(peer.pick(caller, at_ms(10'100)).endpoint, 1U);
  const double one = peer.load(1, at_ms(10'100));
  const Pending second = peer.pick(caller, at_ms(10'100));
  EXPECT_EQ(second.endpoint, 1U);
  EXPECT_NEAR(peer.load(1, at_ms(10'100)), one * 3 / 2, 1) << "times requests in flight + 1";
  peer.finish(caller, second, false, at_ms(10'101));
  EXPECT_NEAR(peer.load(1, at_ms(10'101)), one, one * 0.001) << "an error is timed like an answer";
}

TEST(EnvoyLeastRequest, DrawsWithReplacement) {
  Caller caller{Rng(1)};
  EnvoyLeastRequest peer(2, 1);
  const Pending held = peer.pick(caller, Time());
  EXPECT_EQ(peer.active(held.endpoint), 1U);
  int busier = 0;
  constexpr int kPicks = 20'000;
  for (int i = 0; i < kPicks; ++i) {
    const Pending pending = peer.pick(caller, Time());
    busier += pending.endpoint == held.endpoint ? 1 : 0;
    peer.finish(caller, pending, true, Time());
  }
  EXPECT_NEAR(busier / static_cast<double>(kPicks), 0.25, 0.02);
  EXPECT_EQ(peer.active(held.endpoint), 1U);
}

TEST(YarpcHeap, TakesTheFewestPendingInTurn) {
  Caller caller{Rng(1)};
  YarpcHeap peer(3, 1);
  std::array<Pending, 6> out;
  for (std::uint32_t i = 0; i < 6; ++i) {
    out[i] = peer.pick(caller, Time());
    EXPECT_EQ(out[i].endpoint, i % 3) << "round robin while equal";
  }
  peer.finish(caller, out[1], true, Time());
  peer.finish(caller, out[4], true, Time());
  peer.finish(caller, out[2], true, Time());
  // Pending: 2, 0, 1.
  EXPECT_EQ(peer.pick(caller, Time()).endpoint, 1U);
  EXPECT_EQ(peer.pick(caller, Time()).endpoint, 2U) << "picked longer ago than 1";
  EXPECT_EQ(peer.pick(caller, Time()).endpoint, 1U);
}

// The counts of a peer that threads share come out even.
template <typename Peer>
void expect_shared(Peer& peer) {
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 2; ++t) {
    threads.emplace_back([&peer, t] {
      Caller caller{Rng(t), t};
      for (int i = 0; i < 20'000; ++i) {
        const Time now = Time::from_ns(i * 1000);
        peer.finish(caller, peer.pick(caller, now), true, now);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Peers, ThoseMadeToBeSharedAreSafeToShare) {
  BrpcP2c brpc(8, 2);
  expect_shared(brpc);
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(brpc.score(i, 0), 1);
  GoZeroP2c go_zero(8, 2);
  expect_shared(go_zero);
  EnvoyLeastRequest envoy(8, 2);
  expect_shared(envoy);
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(envoy.active(i), 0U);
  YarpcHeap heap(8, 2);
  expect_shared(heap);
}

}  // namespace
}  // namespace evener::peers
