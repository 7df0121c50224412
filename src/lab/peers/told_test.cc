// The rules that are told by servers: Prequal, C3, gRPC's weighted round robin.
#include <gmock/gmock.h>

#include "lab/peers/probes.h"
#include "lab/peers/rule_test.h"

namespace evener::lab::peers {
namespace {

Time at_ms(std::int64_t value) { return Time() + Duration::milliseconds(value); }

TEST(PeerPrequal, ReuseBudget) {
  EXPECT_NEAR(Probes::reuse(100), 1.3158, 1e-4);
  EXPECT_EQ(Probes::reuse(24), 16) << "no solution";
  EXPECT_EQ(Probes::reuse(10), 16);
  EXPECT_NEAR(Probes::reuse(1'000'000), 1, 1e-4);
}

TEST(PeerPrequal, ColdOnesByLatencyElseLeastRif) {
  Probes pool;
  // 8 probes: the quantile's rank is ceil(0.84 x 8) = 7, so only the one above the 7th is hot.
  for (std::uint32_t i = 0; i < 8; ++i) {
    pool.add({.slot = i, .rif = i, .latency_ns = 100.0 - i, .at = at_ms(1)});
  }
  EXPECT_EQ(pool.all()[pool.best()].slot, 6U) << "7 is faster but hot";
  pool.remove_one();
  EXPECT_EQ(pool.all().front().slot, 1U) << "the oldest first";
  pool.remove_one();
  EXPECT_EQ(pool.all().back().slot, 6U) << "then the worst: 7 was hot";
  EXPECT_EQ(pool.all().size(), 6U);
}

TEST(PeerPrequal, PoolKeepsTheNewestOfEach) {
  Probes pool;
  for (std::uint32_t i = 0; i < 20; ++i) pool.add({.slot = i, .rif = 1, .latency_ns = 1, .at = {}});
  EXPECT_EQ(pool.all().size(), Probes::kMost);
  EXPECT_EQ(pool.all().front().slot, 4U);
  pool.add({.slot = 10, .rif = 9, .latency_ns = 1, .at = at_ms(500), .uses = 2});
  EXPECT_EQ(pool.all().size(), Probes::kMost);
  EXPECT_EQ(pool.all().back().rif, 9U);
  pool.use(Probes::kMost - 1);
  EXPECT_EQ(pool.all().back().rif, 10U);
  pool.use(Probes::kMost - 1);
  EXPECT_EQ(pool.all().size(), Probes::kMost - 1) << "used up";
  pool.add({.slot = 30, .rif = 0, .latency_ns = 1, .at = at_ms(900)});
  pool.forget(at_ms(1001), [](std::uint32_t) { return false; });
  EXPECT_EQ(pool.all().size(), 1U) << "a second at most";
}

TEST(PeerPrequal, AvoidsServersThatAreBusyWithOthersRequests) {
  Driver driver("google_prequal", 30);
  for (std::uint32_t s = 0; s < 4; ++s) driver.fill(s, 50);
  driver.shares(100);
  const auto shares = driver.shares(10'000);
  EXPECT_LT(shares[0] + shares[1] + shares[2] + shares[3], 0.02);
}

TEST(PeerC3, CubesTheQueue) {
  // Service time 10 ms: the first with one in flight costs 2^3 x 10 ms, the second what it took.
  for (const double second : {79.0, 81.0}) {
    Driver driver("c3", 2);
    driver.serve_together({ms(10), ms(second)}, 0.01);
    driver.put(0);
    EXPECT_EQ(driver.peek(), second < 80 ? 1U : 0U);
  }
}

TEST(PeerC3, OutstandingCountsForAllBalancers) {
  // Of three balancers: (1 + 3)^3 x 10 ms.
  for (const double second : {639.0, 641.0}) {
    Driver driver("c3", 2, 1, 3);
    driver.serve_together({ms(10), ms(second)}, 0.01);
    driver.put(0);
    EXPECT_EQ(driver.peek(), second < 640 ? 1U : 0U);
  }
}

TEST(PeerC3, HearsOfTheQueue) {
  Driver driver("c3", 2);
  driver.fill(0, 2);
  driver.serve_together({ms(10), ms(200)}, 0.01);
  EXPECT_EQ(driver.peek(), 1U) << "27 x 10 ms against 200 ms";
}

TEST(PeerGrpc, WeightsAreTakenAfterTheBlackout) {
  Driver driver("grpc_weighted_round_robin", 3);
  const auto second_of_calls = [&] {
    std::vector<double> shares(3);
    for (int i = 0; i < 600; ++i) {
      const auto choice = driver.choose();
      shares[choice->server] += 1 / 600.;
      const double utilization = choice->server == 0 ? 0.2 : 0.4;
      sim::Answer answer;
      if (choice->server != 2) answer.report.utilization = utilization;
      driver.answer(*choice, answer);
      driver.advance(Duration::microseconds(1667));
    }
    return shares;
  };
  for (int s = 0; s < 10; ++s) {
    EXPECT_NEAR(second_of_calls()[0], 1 / 3., 0.01) << "turns during the blackout";
  }
  for (int s = 0; s < 2; ++s) second_of_calls();
  // qps / utilisation is 2 : 1 now, and the third, which never reports, gets the mean of both.
  Driver& measured = driver;
  const auto shares = measured.shares(1000);
  EXPECT_GT(shares[0], shares[1] * 1.6);
  EXPECT_NEAR(shares[2], (shares[0] + shares[1]) / 2, 0.01);
}

}  // namespace
}  // namespace evener::lab::peers
