#include "lab/queueing/cells.h"
#include "lab/queueing/experiments.h"
#include "lab/theory/queues.h"

namespace evener::lab::queueing {
namespace {

constexpr double kSlow = 0.1;

// 50 servers of speed 1, 50 of speed 0.1; load as a part of all capacity.
sim::FleetOptions halves(double load, double slow_weight, std::uint64_t calls, double warm_up) {
  sim::FleetOptions options = fleet(100, load, calls, policy("p2c"), warm_up);
  options.servers = {{.count = 50}, {.count = 50, .spec = {.speed = kSlow}, .weight = slow_weight}};
  options.arrivals = sim::Arrivals::poisson(load * 50 * (1 + kSlow) / kService_s);
  return options;
}

Plan plan_slow(const PlanOptions& options) {
  Plan plan(options);
  const CellId stable = add(plan, "load 0.30", 12, halves(0.30, 1, 1'000'000, 0.1));
  const CellId once = add(plan, "load 0.50, 1e6 calls", 4, halves(0.50, 1, 1'000'000, 0.1));
  const CellId longer = add(plan, "load 0.50, 4e6 calls", 4, halves(0.50, 1, 4'000'000, 0.1));
  plan.judge([stable, once, longer](const Results& results, Report& report) {
    report.within_share("mean time, evener p2c, load 0.30", controlled(results, stable), 8.18, 0.04,
                        "simulated");
    const Estimate short_run = results.mean(once, kMean);
    const Estimate long_run = results.mean(longer, kMean);
    report.at_least("mean of 4e6 calls over that of 1e6, load 0.50",
                    exact(long_run.value / short_run.value), 3, "unstable: grows without end");
    report.info("mean time, load 0.50, 1e6 calls", short_run, "simulated: 1795");
    report.info("mean time, load 0.50, 4e6 calls", long_run, "simulated: 7167");
    report.info("highest stable load", exact(theory::stable_load(100, 50, kSlow, 2)),
                "jobs whose draws are all slow");
  });
  return plan;
}

Plan plan_repaired(const PlanOptions& options) {
  Plan plan(options);
  const CellId cell = add(plan, "weights", 12, halves(0.50, kSlow, 500'000, 0.1));
  plan.judge([cell](const Results& results, Report& report) {
    report.within_share("mean time, evener p2c, weights 1 and 0.1, load 0.50",
                        controlled(results, cell), 1.479, 0.015, "simulated");
  });
  return plan;
}

}  // namespace

Experiment slow_half() {
  return {.id = "E30",
          .name = "slow-half",
          .summary = "half of 100 servers ten times slower, draws that do not know it",
          .source = "own derivation; Hurtado-Lange, Maguluri 2020",
          .conventions = {.sampling = "distinct, even",
                          .ties = "at random",
                          .counting = "requests in flight, the one in service counted"},
          .seconds = 4.2,
          .plan = plan_slow};
}

Experiment slow_half_repaired() {
  return {.id = "E31",
          .name = "slow-half-repaired",
          .summary = "the same with draws by weight and (requests + 1) / weight compared",
          .source = "own simulations",
          .conventions = {.sampling = "distinct, by weight",
                          .ties = "at random",
                          .counting = "requests in flight + 1, the one in service counted"},
          .seconds = 0.6,
          .plan = plan_repaired};
}

}  // namespace evener::lab::queueing
