// The rules that reckon with latency: costs by hand, one on either side of each threshold.
#include "lab/peers/rule_test.h"

namespace evener::lab::peers {
namespace {

// Two servers with one answer each, and so many in flight at the first: who is next?
std::uint32_t next(const char* rule, double first_ms, int in_flight, double second_ms,
                   std::vector<double> weights = {1, 1}) {
  Driver driver(rule, std::move(weights));
  driver.serve_together({ms(first_ms), ms(second_ms)});
  driver.put_many(0, in_flight);
  return driver.peek();
}

TEST(PeerLatency, LatencyTimesInFlightPlusOne) {
  for (const auto* rule : {"brpc_p2c", "finagle_p2c_peak_ewma", "traefik_leasttime"}) {
    EXPECT_EQ(next(rule, 10, 1, 19), 1U) << rule;
    EXPECT_EQ(next(rule, 10, 1, 21), 0U) << rule;
    EXPECT_EQ(next(rule, 10, 2, 29), 1U) << rule;
    EXPECT_EQ(next(rule, 10, 2, 31), 0U) << rule;
  }
  for (const auto* rule : {"linkerd_peak_ewma", "linkerd_peak_ewma_penalty"}) {
    EXPECT_EQ(next(rule, 40, 1, 79), 1U) << rule << ": above the prior of 30 ms";
    EXPECT_EQ(next(rule, 40, 1, 81), 0U) << rule;
  }
}

TEST(PeerLatency, WeightsDivideAtBrpcAndTraefik) {
  for (const auto* rule : {"brpc_p2c", "traefik_leasttime"}) {
    EXPECT_EQ(next(rule, 10, 1, 19, {2, 1}), 0U) << rule;
    EXPECT_EQ(next(rule, 10, 4, 24, {2, 1}), 1U) << rule;
  }
}

TEST(PeerLatency, PeakRulesJumpUpAndDecayIn10S) {
  for (const auto* rule :
       {"brpc_p2c", "finagle_p2c_peak_ewma", "linkerd_peak_ewma", "linkerd_peak_ewma_penalty"}) {
    for (const double second : {140.0, 154.0}) {  // 400 ms after a mean lifetime: 147.15
      Driver driver(rule, 2);
      driver.serve(0, ms(40));
      driver.serve(0, ms(400));
      driver.advance(Duration::seconds(10) - ms(second));
      driver.serve(1, ms(second));
      EXPECT_EQ(driver.peek(), second < 147 ? 1U : 0U) << rule << ' ' << second;
    }
  }
}

TEST(PeerLatency, NewcomersAtBrpcWinUntilTheirFirstAnswer) {
  Driver driver("brpc_p2c", 2);
  driver.serve(0, ms(1));
  driver.put_many(1, 500);
  EXPECT_EQ(driver.peek(), 1U) << "501 x 1 us against 1 ms";
}

// Two servers, one answers in 10 ms and one in 40, both as often: weights 4 to 1.
TEST(PeerLatency, BrpcLaDrawsByRateOverLatency) {
  Driver driver("brpc_la", 2);
  for (int i = 0; i < 300; ++i) driver.serve_together({ms(10), ms(40)});
  int first = 0;
  for (int i = 0; i < 20'000; ++i) first += driver.peek() == 0 ? 1 : 0;
  EXPECT_NEAR(first / 20'000.0, 0.8, 0.02);
}

// What hangs for ten times 1.5 latencies keeps a tenth of its weight, before it answers.
TEST(PeerLatency, BrpcLaShrinksWhatHangs) {
  Driver driver("brpc_la", 2);
  for (int i = 0; i < 300; ++i) driver.serve_together({ms(10), ms(10)});
  const auto hangs = driver.put(1);
  driver.advance(ms(150));
  int second = 0;
  for (int i = 0; i < 20'000; ++i) second += driver.peek() == 1 ? 1 : 0;
  EXPECT_NEAR(second / 20'000.0, 0.1 / 1.1, 0.02);
  driver.answer(hangs);
}

TEST(PeerLatency, NewcomersAtFinagleGetOneProbe) {
  Driver driver("finagle_p2c_peak_ewma", 2);
  driver.serve(0, ms(100));
  EXPECT_EQ(driver.choose()->server, 1U);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(driver.choose()->server, 0U);
}

TEST(PeerLatency, NewcomersAtLinkerdCount30Ms) {
  for (const auto* rule : {"linkerd_peak_ewma", "linkerd_peak_ewma_penalty"}) {
    for (const double known : {28.0, 32.0}) {
      Driver driver(rule, 2);
      driver.advance(Duration::seconds(60));  // the prior of the one that is measured is over
      driver.serve(0, ms(known));
      driver.set({0});
      driver.set({0, 1});
      EXPECT_EQ(driver.peek(), known < 30 ? 0U : 1U) << rule;
    }
  }
}

TEST(PeerLatency, FailuresAtBrpcCountHalfASecond) {
  for (const double second : {480.0, 520.0}) {
    Driver driver("brpc_p2c", 2);
    const auto choice = driver.put(1);
    driver.advance(ms(second));
    driver.serve(0, ms(1), kFailed);
    driver.answer(choice);
    EXPECT_EQ(driver.peek(), second < 500 ? 1U : 0U);
  }
}

TEST(PeerLatency, FailuresAtLinkerdCountOnlyWithThePenalty) {
  Driver plain("linkerd_peak_ewma", 2);
  plain.advance(Duration::seconds(60));
  plain.serve(1, ms(10));
  plain.serve(0, ms(1), kFailed);
  EXPECT_EQ(plain.peek(), 0U) << "a fast failure looks fast";
  for (const double second : {4950.0, 5050.0}) {
    Driver driver("linkerd_peak_ewma_penalty", 2);
    const auto choice = driver.put(1);
    driver.advance(ms(second - 1));
    driver.serve(0, ms(1), kFailed);
    driver.answer(choice);
    EXPECT_EQ(driver.peek(), second < 5000 ? 1U : 0U);
  }
}

TEST(PeerLatency, LinkerdHonoursRetryAfterUpTo300S) {
  for (const double second : {298e3, 302e3}) {
    Driver driver("linkerd_peak_ewma_penalty", 2);
    const auto choice = driver.put(1);
    driver.advance(ms(second - 1));
    driver.serve(0, ms(1), ended_as(Outcome::kOverloaded, Duration::seconds(400)));
    driver.answer(choice);
    EXPECT_EQ(driver.peek(), second < 300e3 ? 1U : 0U);
  }
}

TEST(PeerLatency, GoZeroTakesRoots) {
  EXPECT_EQ(next("go_zero_p2c", 10, 1, 38), 1U) << "2 x 3162 against 6164";
  EXPECT_EQ(next("go_zero_p2c", 10, 1, 42), 0U) << "against 6480";
}

TEST(PeerLatency, GoZeroAndKratosForceTheLoser) {
  for (const auto& [rule, s] : {std::pair{"go_zero_p2c", 1}, std::pair{"kratos_p2c", 3}}) {
    Driver driver(rule, 2);
    driver.serve_together({ms(10), ms(90)});
    EXPECT_EQ(driver.shares(100)[1], 0) << rule;
    driver.advance(Duration::seconds(s) - ms(200));
    driver.serve(0, ms(10));
    EXPECT_EQ(driver.peek(), 0U) << rule;
    driver.advance(ms(300));
    EXPECT_EQ(driver.peek(), 1U) << rule;
    EXPECT_EQ(driver.peek(), 0U) << rule << ": once";
  }
}

TEST(PeerLatency, GoZerosBlackHole) {
  // One of three fails at once: it is in all three pairs with (2/3)^3, and then it wins.
  constexpr int kRuns = 4000;
  double share = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    Driver driver("go_zero_p2c", 3, seed);
    driver.serve(1, ms(20));
    driver.serve(2, ms(20));
    driver.serve(0, ms(1), kFailed);
    share += driver.peek() == 0 ? 1.0 / kRuns : 0;
  }
  EXPECT_NEAR(share, 8 / 27., 0.03);
}

TEST(PeerLatency, KratosStarvesNewcomers) {
  for (const int in_flight : {39, 40}) {
    Driver driver("kratos_p2c", 2);
    driver.serve(1, ms(1));  // root of 6 ms in ns: 2449
    driver.put_many(1, in_flight);
    EXPECT_EQ(driver.peek(), in_flight == 39 ? 1U : 0U) << "2449 x (q + 1) against 10^5";
  }
}

TEST(PeerLatency, KratosMultipliesSuccess) {
  for (const int in_flight : {1, 2}) {
    Driver driver("kratos_p2c", 2);
    driver.serve_together({ms(10), ms(10)});
    driver.advance(ms(490));
    driver.serve(0, ms(10), kFailed);  // success e^(-500/600) = 0.435
    driver.put_many(1, in_flight);
    EXPECT_EQ(driver.peek(), in_flight == 1 ? 1U : 0U);
  }
}

TEST(PeerLatency, KratosSeesHowOldRequestsAre) {
  for (const int in_flight : {10, 11}) {
    Driver driver("kratos_p2c", 2);
    driver.serve_together({ms(10), ms(10)});
    driver.put(0);
    driver.advance(ms(500));
    driver.put_many(1, in_flight);
    EXPECT_EQ(driver.peek(), in_flight == 10 ? 1U : 0U) << "2 x 22472 against 3872 (q + 1)";
  }
}

TEST(PeerLatency, EnvoysEwmaKnowsWholeMillisecondsOnly) {
  Driver driver("envoy_peak_ewma", 2);
  driver.serve_together({ms(0.9), ms(50)});
  driver.advance(ms(100));
  driver.put(0);
  EXPECT_EQ(driver.peek(), 1U) << "0.9 ms is no sample: busy, it costs a million";
}

TEST(PeerLatency, EnvoysEwmaFoldsBySampleAge) {
  // 10 ms, then 3,000 ms that is 90 ms old at the fold: 10 + 2990 (1 - e^-0.009) = 36.8.
  for (const double second : {36.0, 38.0}) {
    Driver driver("envoy_peak_ewma", 2);
    driver.serve_together({ms(10), ms(second)});
    driver.advance(Time() + ms(3110) - ms(3000) - driver.now());
    driver.peek();
    driver.serve(0, ms(3000));
    driver.advance(ms(95));
    EXPECT_EQ(driver.peek(), second < 36.8 ? 1U : 0U) << second;
  }
}

TEST(PeerLatency, TraefiksNewcomerWinsUntilItsFirstByte) {
  Driver driver("traefik_leasttime", 3);
  driver.serve(0, ms(2));
  driver.serve(1, ms(2));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(driver.choose()->server, 2U);
}

TEST(PeerLatency, TraefikForgetsBySamplesOnly) {
  Driver driver("traefik_leasttime", 2);
  driver.serve_together({ms(10), ms(1000)});
  driver.advance(Duration::seconds(3600));
  driver.put_many(0, 98);
  EXPECT_EQ(driver.choose()->server, 0U) << "not sampled again until 100 x 10 ms";
  driver.put(0);
  EXPECT_EQ(driver.choose()->server, 1U);
  Driver window("traefik_leasttime", 2);
  window.serve_together({ms(5.9), ms(1000)});
  for (int i = 0; i < 100; ++i) window.serve(1, ms(4));
  EXPECT_EQ(window.peek(), 1U) << "the 101st sample pushes the first out";
}

}  // namespace
}  // namespace evener::lab::peers
