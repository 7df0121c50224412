#include "sim/fleet.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sim/balancer_chooser.h"

namespace evener::sim {
namespace {

FleetOptions usual() {
  FleetOptions options;
  options.seed = 99;
  options.servers = {{.count = 10}};
  options.chooser = balancer_choosers(PolicySettings{.name = "p2c"});
  options.arrivals = Arrivals::poisson(500);
  options.work = Distribution::exponential(0.01);
  options.calls = 20'000;
  return options;
}

std::string bytes(const FleetResult& r) {
  std::string out =
      fmt::format("{} {} {} {} {} {} {} {}", r.calls, r.attempts, r.events, r.times.mean_s(),
                  r.times.quantile_s(0.99), r.mean_queue, r.longest_queue, r.until_s);
  for (const auto end : r.ends) out += fmt::format(" {}", end);
  for (const auto p : r.picks) out += fmt::format(" {}", p);
  for (const double t : r.tail) out += fmt::format(" {}", t);
  return out;
}

FleetResult run(const FleetOptions& options) {
  auto result = run_fleet(options);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return std::move(*result);
}

// Everything at once: faults of every kind, retries, time-outs, roll-outs, cold starts, a board.
FleetOptions wild(std::uint64_t seed) {
  Rng rng = Rng(seed).fork("wild");
  FleetOptions options = usual();
  options.seed = seed;
  const auto pick = [&](auto... values) {
    const std::array all = {values...};
    return all[rng.below(all.size())];
  };
  options.servers = {{.count = 6}, {.count = 4, .spec = {.speed = 2}, .weight = 2}};
  options.servers[0].spec.slots = pick(1U, 3U);
  options.servers[1].spec.discipline = pick(Discipline::kFcfs, Discipline::kSharing);
  options.servers[0].spec.limit = pick(3U, 50U, kNoIndex);
  options.servers[1].cold = Duration::milliseconds(500);
  options.balancers = pick(1U, 3U);
  options.board = pick(false, true);
  options.tick_every = Duration::milliseconds(pick(0, 1, 50));
  BalancerOptions balancer{
      .policy = {.name = pick("p2c", "peak_ewma", "least_request", "idle_first", "round_robin",
                              "lsq", "prequal", "reported", "ring")}};
  balancer.ejection.enabled = pick(false, true);
  options.chooser = balancer_choosers(balancer);
  if (pick(0, 1) == 0) options.arrivals = Arrivals::closed(40, Distribution::exponential(0.05));
  options.delay_out = pick(Distribution(), Distribution::exponential(0.002));
  options.delay_back = pick(Distribution(), Distribution::constant(0.001));
  options.timeout = Duration::milliseconds(pick(30, 200));
  options.serve_abandoned = pick(false, true);
  options.retry.attempts = pick(1U, 2U, 4U);
  options.retry.backoff = Duration::milliseconds(pick(0, 5));
  options.retry.unlimited = pick(false, true);
  options.reports = pick(false, true);
  options.hedge.on = pick(false, true);
  options.hedge.after = Duration::milliseconds(pick(0, 5, 40));
  options.hedge.settings.samples = 20;
  options.warm_up_s = 1;
  options.series_every_s = 0.5;
  options.rollouts = {{.at_s = 2, .join = true, .servers = {9, 8}, .notice_s = 0.1},
                      {.at_s = 3, .servers = {0, 1, 2}, .apart_s = 0.3}};
  for (int kind = 0; kind < 8; ++kind) {
    Fault fault{.kind = static_cast<FaultKind>(kind),
                .servers = {static_cast<std::uint32_t>(rng.below(10)),
                            static_cast<std::uint32_t>(rng.below(10))},
                .at_s = 0.5 * kind,
                .until_s = 30,
                .value = 0.5,
                .gap_s = Distribution::exponential(1),
                .length_s = Distribution::exponential(0.5),
                .together = pick(false, true)};
    fault.retry_after = Duration::milliseconds(pick(0, 100));
    options.faults.push_back(std::move(fault));
  }
  return options;
}

TEST(Fleet, PropertyEachCallEndsExactlyOnceWhateverHappens) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const FleetOptions options = wild(seed);
    const FleetResult r = run(options);
    EXPECT_EQ(r.started, options.calls);
    EXPECT_EQ(r.unfinished, 0U);
    EXPECT_TRUE(r.stopped.empty()) << r.stopped;
    std::uint64_t sum = 0;
    for (const auto end : r.ends) sum += end;
    EXPECT_EQ(sum, r.calls);
    EXPECT_EQ(r.times.count(), r.ends[0]);
    EXPECT_LE(r.calls, r.started);
    std::uint64_t picks = 0;
    for (const auto p : r.picks) picks += p;
    EXPECT_EQ(picks, r.attempts);
  }
}

TEST(Fleet, SameSeedSameBytes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(bytes(run(wild(seed))), bytes(run(wild(seed)))) << seed;
  }
  EXPECT_NE(bytes(run(wild(1))), bytes(run(wild(2))));
}

TEST(Fleet, AnotherConsumerOfLuckDoesNotChangeTheWork) {
  FleetOptions options = usual();
  const double before = run(options).until_s;
  options.delay_out = Distribution::exponential(0.001);
  options.balancers = 7;
  EXPECT_EQ(run(options).until_s, before);
}

TEST(Fleet, TimeOutsBoundTheTimeAndRetriesGoElsewhere) {
  FleetOptions options = usual();
  options.chooser = balancer_choosers(PolicySettings{.name = "random"});
  options.timeout = Duration::milliseconds(150);
  options.arrivals = Arrivals::poisson(50);
  options.faults = {{.kind = FaultKind::kHang, .servers = {0}}};
  FleetResult r = run(options);
  EXPECT_NEAR(static_cast<double>(r.ends[2]) / static_cast<double>(r.calls), 0.1, 0.01);
  EXPECT_LE(r.times.max_s(), 0.15 + 1e-9);
  options.retry = {.attempts = 2, .unlimited = true};
  r = run(options);
  EXPECT_EQ(r.errors(), 0U) << "the second attempt never goes to the hanging server";
  EXPECT_GT(r.times.quantile_s(0.95), 0.15);
}

TEST(Fleet, TheBudgetBoundsRetries) {
  FleetOptions options = usual();
  options.faults = {
      {.kind = FaultKind::kErrors, .servers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, .value = 1}};
  options.retry = {.attempts = 3, .budget = {.share = 0.2, .floor = 0}};
  const FleetResult budget = run(options);
  EXPECT_LE(budget.attempts, budget.started * 121 / 100);
  EXPECT_GT(budget.retries_refused, 0U);
  options.retry.unlimited = true;
  EXPECT_EQ(run(options).attempts, 3 * options.calls);
}

// A request that is too long for the time-out is too long each time.
TEST(Fleet, ACallsWorkIsTheSameForItsRetries) {
  FleetOptions options = usual();
  options.arrivals = Arrivals::steady(1);
  options.calls = 2'000;
  options.work = Distribution::two_point(0.01, 0.2, 0.3);
  options.timeout = Duration::milliseconds(100);
  options.retry = {.attempts = 3, .unlimited = true};
  const FleetResult r = run(options);
  const auto late = static_cast<double>(r.ends[static_cast<std::size_t>(CallEnd::kTimedOut)]);
  EXPECT_NEAR(late / static_cast<double>(r.calls), 0.3, 0.03) << "0.027 if it were drawn anew";
  EXPECT_EQ(r.attempts, r.calls + 2 * static_cast<std::uint64_t>(late));
}

FleetOptions with_slow_server() {
  FleetOptions options = usual();
  options.chooser = balancer_choosers(PolicySettings{.name = "random"});
  options.arrivals = Arrivals::poisson(20);
  options.work = Distribution::constant(0.01);
  options.faults = {{.kind = FaultKind::kSlow, .servers = {0}, .value = 0.02}};
  options.retry.unlimited = true;
  return options;
}

TEST(Fleet, AHedgeCutsTheTailOfASlowServer) {
  FleetOptions options = with_slow_server();
  EXPECT_GT(run(options).times.quantile_s(0.95), 0.4);
  options.hedge = {.on = true, .after = Duration::milliseconds(30)};
  const FleetResult r = run(options);
  EXPECT_LT(r.times.quantile_s(0.99), 0.06) << "30 ms, and 10 ms elsewhere";
  EXPECT_NEAR(static_cast<double>(r.hedges) / static_cast<double>(r.calls), 0.1, 0.02);
  EXPECT_GT(r.hedges_won, r.hedges * 9 / 10);
  EXPECT_EQ(r.attempts, r.calls + r.hedges);
  EXPECT_EQ(r.errors(), 0U);
}

TEST(Fleet, AHedgeWaitsForThePercentileAndKeepsToTheBudget) {
  FleetOptions options = with_slow_server();
  options.hedge.on = true;
  options.hedge.settings.percentile = 0.8;
  const FleetResult learned = run(options);
  EXPECT_GT(learned.hedges, learned.calls / 20);
  EXPECT_LT(learned.hedges, learned.calls / 4);
  options.retry = {.budget = {.share = 0.02, .floor = 0}};
  const FleetResult bounded = run(options);
  EXPECT_LE(bounded.hedges, bounded.calls / 50 + 1);
  EXPECT_GT(bounded.hedges_refused, 0U);
}

// A hedge cannot help where the request itself is long.
TEST(Fleet, AHedgeDoesNotShortenLongWork) {
  FleetOptions options = usual();
  options.arrivals = Arrivals::poisson(20);
  options.work = Distribution::two_point(0.01, 0.3, 0.05);
  const double before = run(options).times.quantile_s(0.99);
  options.hedge = {.on = true, .after = Duration::milliseconds(20)};
  options.retry.unlimited = true;
  const FleetResult r = run(options);
  EXPECT_GT(r.hedges, r.calls / 25);
  EXPECT_GT(r.times.quantile_s(0.99), before * 0.99);
}

// Whichever of the two fails, the other one is the call; with both failed, a retry goes elsewhere.
TEST(Fleet, FailuresOfOneOfTwoAttemptsDoNotEndTheCall) {
  FleetOptions options = usual();
  options.arrivals = Arrivals::poisson(20);
  options.work = Distribution::constant(0.05);
  options.servers = {{.count = 3}};
  options.calls = 5'000;
  options.faults = {{.kind = FaultKind::kErrors, .servers = {0, 1}, .value = 1}};
  options.chooser = balancer_choosers(PolicySettings{.name = "random"});
  options.retry = {.attempts = 3, .unlimited = true};
  options.hedge = {.on = true, .after = Duration::milliseconds(25)};
  const FleetResult r = run(options);
  EXPECT_EQ(r.errors(), 0U) << "three attempts on three servers, one of which answers";
  EXPECT_LE(r.attempts, 3 * r.calls);
}

TEST(Fleet, DeadServersRefuseAndResetWhatTheyHold) {
  FleetOptions options = usual();
  options.servers = {{.count = 1}};
  options.arrivals = Arrivals::steady(100);
  options.work = Distribution::constant(0.0501);
  options.calls = 100;
  options.faults = {{.kind = FaultKind::kDead, .servers = {0}, .at_s = 0.105, .until_s = 0.205}};
  const FleetResult r = run(options);
  // Of 10 calls in the first 0.105 s, one was served; the next 10 are refused, those after served.
  EXPECT_EQ(r.ends[static_cast<std::size_t>(CallEnd::kFailed)], 9U);
  EXPECT_EQ(r.ends[static_cast<std::size_t>(CallEnd::kRefused)], 10U);
  EXPECT_EQ(r.ends[0], 81U);
}

TEST(Fleet, FullServersSayOverloaded) {
  FleetOptions options = usual();
  options.servers[0].spec.limit = 1;
  options.chooser = balancer_choosers(PolicySettings{.name = "random"});
  const FleetResult r = run(options);
  // Erlang's loss formula for one slot at load 0.5: a third is lost.
  const double lost = static_cast<double>(r.ends[static_cast<std::size_t>(CallEnd::kOverloaded)]);
  EXPECT_NEAR(lost / static_cast<double>(r.calls), 1.0 / 3, 0.02);
  EXPECT_EQ(r.longest_queue, 1U);
}

TEST(Fleet, PausesStopAndResume) {
  FleetOptions options = usual();
  options.servers = {{.count = 1}};
  options.arrivals = Arrivals::trace({0.01, 0.5});
  options.work = Distribution::constant(0.1);
  options.calls = 0;
  options.faults = {{.kind = FaultKind::kPause, .servers = {0}, .at_s = 0.05, .until_s = 0.3}};
  const FleetResult r = run(options);
  EXPECT_EQ(r.calls, 2U);
  EXPECT_NEAR(r.times.max_s(), 0.35, 1e-6);
  EXPECT_NEAR(r.times.mean_s(), (0.35 + 0.1) / 2, 1e-6);
}

TEST(Fleet, ColdServersSpeedUp) {
  FleetOptions options = usual();
  options.servers = {{.count = 1, .cold = Duration::seconds(10), .cold_at_start = true}};
  options.arrivals = Arrivals::steady(1);
  options.work = Distribution::constant(0.01);
  options.calls = 20;
  const FleetResult r = run(options);
  EXPECT_NEAR(r.times.max_s(), 0.01 / 0.156, 0.002);
  EXPECT_NEAR(r.times.quantile_s(0.3), 0.01, 0.0002);
}

TEST(Fleet, RollOutsChangeWhoIsPicked) {
  FleetOptions options = usual();
  options.rollouts = {{.at_s = 20, .join = true, .servers = {9}}, {.at_s = 20, .servers = {0}}};
  options.series_every_s = 1;
  const FleetResult r = run(options);
  for (const FleetSample& sample : r.series) {
    const bool before = sample.at_s < 20;
    if (before) EXPECT_EQ(sample.in_system[9], 0U);
    if (sample.at_s > 21) EXPECT_EQ(sample.in_system[0], 0U);
  }
  EXPECT_NEAR(r.picks[0], r.picks[9], 300);
}

TEST(Fleet, BoardsTellBalancersOfEachOther) {
  FleetOptions options = usual();
  options.servers = {{.count = 100}};
  options.arrivals = Arrivals::poisson(9000);
  options.chooser = balancer_choosers(PolicySettings{.name = "least_request"});
  options.balancers = 20;
  options.calls = 200'000;
  const double alone = run(options).times.mean_s();
  options.board = true;
  options.tick_every = Duration::milliseconds(1);
  EXPECT_LT(run(options).times.mean_s(), 0.6 * alone);
}

// The course is of all calls from the first on, however many there are.
TEST(Fleet, TheCourseHasTheMeanOfAllCalls) {
  FleetOptions options = usual();
  options.calls = 50'000;
  const FleetResult r = run(options);
  const auto& parts = r.course.parts();
  EXPECT_GE(parts.size(), Course::kPartsMost / 2);
  EXPECT_LT(parts.size(), Course::kPartsMost);
  double sum = 0;
  for (const double part : parts) sum += part;
  EXPECT_NEAR(sum / static_cast<double>(parts.size()), r.times.mean_s(), 1e-3 * r.times.mean_s());
  EXPECT_LT(parts.front(), r.times.mean_s()) << "it begins with empty queues";
}

TEST(Fleet, OverloadStopsWithAMessage) {
  FleetOptions options = usual();
  options.arrivals = Arrivals::poisson(5000);
  options.calls = 100'000'000;
  options.out_max = 1000;
  const FleetResult r = run(options);
  EXPECT_NE(r.stopped.find("more comes than is served"), std::string::npos) << r.stopped;
  EXPECT_LE(r.started, 10'000U);
}

TEST(Fleet, TimeThatStandsStillStopsWithAMessage) {
  FleetOptions options = usual();
  options.arrivals = Arrivals::closed(5, Distribution());
  options.faults = {{.kind = FaultKind::kDead, .servers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}};
  options.calls = 0;
  options.until_s = 1;
  const FleetResult r = run(options);
  EXPECT_NE(r.stopped.find("time stands still"), std::string::npos) << r.stopped;
}

TEST(Fleet, ImpossibleOptionsAreRefused) {
  const auto refused = [](auto change) {
    FleetOptions options = usual();
    change(options);
    const auto result = run_fleet(options);
    EXPECT_FALSE(result.has_value());
    return result ? std::string() : result.error().message;
  };
  EXPECT_NE(refused([](auto& o) { o.calls = 0; }).find("never end"), std::string::npos);
  refused([](auto& o) { o.servers.clear(); });
  refused([](auto& o) { o.servers[0].spec.speed = 0; });
  refused([](auto& o) { o.servers[0].spec.slots = 0; });
  refused([](auto& o) { o.servers[0].weight = 0; });
  refused([](auto& o) { o.balancers = 0; });
  refused([](auto& o) { o.chooser = nullptr; });
  refused([](auto& o) { o.arrivals.rate = -3; });
  refused([](auto& o) { o.retry.attempts = 9; });
  refused([](auto& o) { o.warm_up_calls = o.calls; });
  refused([](auto& o) { o.faults = {{.kind = FaultKind::kHang, .servers = {0}}}; });
  refused([](auto& o) { o.faults = {{.kind = FaultKind::kSlow, .servers = {10}}}; });
  refused([](auto& o) { o.faults = {{.kind = FaultKind::kSlow, .servers = {1}, .value = 0}}; });
  refused([](auto& o) { o.rollouts = {{.servers = {77}}}; });
}

}  // namespace
}  // namespace evener::sim
