// The fleet against closed forms. Tolerances are about four standard errors at these sizes.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/balancer_chooser.h"
#include "sim/fleet.h"

namespace evener::sim {
namespace {

constexpr double kWork = 0.01;  // s
constexpr std::uint64_t kSeed = 4711;

FleetOptions base(const char* policy, std::uint32_t servers, double load, std::uint64_t calls) {
  FleetOptions options;
  options.seed = kSeed;
  options.servers = {{.count = servers}};
  options.chooser = balancer_choosers(PolicySettings{.name = policy});
  options.arrivals = Arrivals::poisson(load * servers / kWork);
  options.work = Distribution::exponential(kWork);
  options.calls = calls;
  options.warm_up_calls = calls / 10;
  return options;
}

FleetResult run(const FleetOptions& options) {
  auto result = run_fleet(options);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->started, options.calls);
  EXPECT_EQ(result->unfinished, 0U);
  return std::move(*result);
}

double erlang_c_time(int n, double load) {
  const double a = n * load;
  double term = 1;
  double sum = 1;
  for (int k = 1; k < n; ++k) {
    term *= a / k;
    sum += term;
  }
  term *= a / n;
  const double waiting = term / (1 - load) / (sum + term / (1 - load));
  return 1 + waiting / (n * (1 - load));
}

TEST(Queueing, Mm1MeanTailAndQueueLengths) {
  const FleetResult r = run(base("random", 100, 0.5, 2'000'000));
  EXPECT_NEAR(r.times.mean_s() / kWork, 2, 0.02);
  EXPECT_NEAR(r.times.quantile_s(0.99) / kWork, 2 * std::log(100), 0.15);
  EXPECT_NEAR(r.times.share_above(4 * kWork), std::exp(-2), 0.003);
  for (std::uint32_t k = 1; k <= 5; ++k) {
    EXPECT_NEAR(r.tail_at(k), std::pow(0.5, k), 0.006) << k;
  }
}

TEST(Queueing, PollaczekKhinchine) {
  FleetOptions options = base("random", 100, 0.7, 2'000'000);
  options.work = Distribution::constant(kWork);
  EXPECT_NEAR(run(options).times.mean_s() / kWork, 1 + 0.7 / 0.3 / 2, 0.012);
  options.work = Distribution::hyperexponential(4, kWork);
  EXPECT_NEAR(run(options).times.mean_s() / kWork, 1 + 0.7 / 0.3 * 5 / 2, 0.2);
}

TEST(Queueing, ErlangCWithSlots) {
  FleetOptions options = base("random", 20, 0.8, 1'000'000);
  options.servers[0].spec.slots = 10;
  options.arrivals = Arrivals::poisson(0.8 * 20 * 10 / kWork);
  EXPECT_NEAR(run(options).times.mean_s() / kWork, erlang_c_time(10, 0.8), 0.012);
}

TEST(Queueing, SharingIsInsensitive) {
  for (const Distribution& work : {Distribution::constant(kWork), Distribution::exponential(kWork),
                                   Distribution::hyperexponential(10, kWork)}) {
    SCOPED_TRACE(work.text());
    FleetOptions options = base("random", 100, 0.6, 2'000'000);
    options.servers[0].spec.discipline = Discipline::kSharing;
    options.work = work;
    EXPECT_NEAR(run(options).times.mean_s() / kWork, 1 / (1 - 0.6), 0.03);
  }
}

TEST(Queueing, LittlesLaw) {
  for (const char* policy : {"p2c", "least_request", "round_robin"}) {
    SCOPED_TRACE(policy);
    const FleetResult r = run(base(policy, 50, 0.9, 1'000'000));
    const double rate = static_cast<double>(r.calls) / (r.until_s - r.from_s);
    EXPECT_NEAR(r.mean_queue * 50, rate * r.times.mean_s(), 0.01 * r.mean_queue * 50);
  }
}

TEST(Queueing, SpeedScalesTime) {
  FleetOptions options = base("random", 100, 0.5, 1'000'000);
  options.servers[0].spec.speed = 0.25;
  options.arrivals = Arrivals::poisson(0.5 * 100 * 0.25 / kWork);
  EXPECT_NEAR(run(options).times.mean_s() / kWork, 8, 0.12);
}

TEST(Queueing, DelaysAddToTheTime) {
  FleetOptions options = base("random", 100, 0.5, 500'000);
  options.delay_out = Distribution::constant(0.02);
  options.delay_back = Distribution::exponential(0.03);
  EXPECT_NEAR(run(options).times.mean_s(), 0.07, 0.0007);
}

// Engset's closed system with one server of sharing and one user per slot: with thinking time Z and
// demand S, users N: exact mean value analysis.
TEST(Queueing, ClosedLoopMeanValueAnalysis) {
  constexpr std::uint32_t kUsers = 20;
  constexpr double kThink = 0.1;
  FleetOptions options = base("random", 1, 0.5, 400'000);
  options.arrivals = Arrivals::closed(kUsers, Distribution::exponential(kThink));
  double queue = 0;
  double time = 0;
  for (std::uint32_t n = 1; n <= kUsers; ++n) {
    time = kWork * (1 + queue);
    queue = n * time / (kThink + time);
  }
  EXPECT_NEAR(run(options).times.mean_s() / time, 1, 0.02);
}

// Changing the speed keeps the work done: at half speed for half of the time (beats far shorter
// than a service), service takes 4/3 as long.
TEST(Queueing, SpeedChangesKeepTheWorkDone) {
  for (const std::uint32_t slots : {1U, 4U}) {
    FleetOptions options = base("random", 4, 0.1, 1000);
    options.servers[0].spec.slots = slots;
    options.arrivals = Arrivals::poisson(20);
    options.work = Distribution::constant(kWork);
    options.faults = {{.kind = FaultKind::kSlow,
                       .servers = {0, 1, 2, 3},
                       .value = 0.5,
                       .gap_s = Distribution::constant(0.0001),
                       .length_s = Distribution::constant(0.0001)}};
    const FleetResult r = run(options);
    EXPECT_NEAR(r.times.quantile_s(0.5) / kWork, 4.0 / 3, 0.01) << slots;
  }
}

TEST(Queueing, SupermarketAtNineTenths) {
  const FleetResult r = run(base("p2c", 100, 0.9, 3'000'000));
  EXPECT_NEAR(r.times.mean_s() / kWork, 2.645, 0.025);
}

}  // namespace
}  // namespace evener::sim
