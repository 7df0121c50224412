#include <fmt/format.h>

#include "lab/queueing/cells.h"
#include "lab/queueing/experiments.h"
#include "lab/theory/queues.h"

namespace evener::lab::queueing {
namespace {

using sim::Distribution;

sim::FleetOptions with(sim::FleetOptions options, const Distribution& work) {
  options.work = work.with_mean(kService_s);
  return options;
}

Plan plan_pk(const PlanOptions& options) {
  Plan plan(options);
  const Distribution varied = Distribution::hyperexponential(10);
  const CellId many =
      add(plan, "h2", 12, with(fleet(100, 0.7, 1'000'000, policy("random")), varied));
  const CellId none =
      add(plan, "equal", 8,
          with(fleet(100, 0.7, 1'000'000, policy("random")), Distribution::constant()));
  plan.judge([many, none](const Results& results, Report& report) {
    const std::string source = "exact, Pollaczek-Khinchine";
    report.within_share("mean time, evener random, h2 of SCV 10", controlled(results, many),
                        theory::pollaczek_khinchine_time(0.7, 11), 0.03, source);
    report.within_share("mean time, evener random, equal work", controlled(results, none),
                        theory::pollaczek_khinchine_time(0.7, 1), 0.005, source);
  });
  return plan;
}

struct Law {
  const char* name;
  double time;
  double share;
  Distribution (*make)();
};
constexpr Law kLaws[] = {
    {"equal", 1.310, 0.01, [] { return Distribution::constant(); }},
    {"exponential", 1.6265, 0.01, [] { return Distribution::exponential(); }},
    {"h2 of SCV 10", 3.40, 0.03, [] { return Distribution::hyperexponential(10); }},
    {"two points, SCV 24.75", 7.19, 0.04, [] { return Distribution::two_point(0.5, 50.5, 0.01); }},
};

Plan plan_laws(const PlanOptions& options) {
  Plan plan(options);
  std::vector<CellId> cells;
  for (const Law& law : kLaws) {
    const auto chooser = policy("p2c", 2, true);
    cells.push_back(add(plan, law.name, 12, with(fleet(100, 0.7, 700'000, chooser), law.make())));
  }
  const CellId pareto = add(plan, "bounded Pareto", 12,
                            with(fleet(100, 0.7, 700'000, policy("p2c", 2, true)),
                                 Distribution::bounded_pareto(1.5, 1e4)));
  plan.judge([cells, pareto](const Results& results, Report& report) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      report.within_share(fmt::format("mean time, evener p2c, {}", kLaws[i].name),
                          controlled(results, cells[i]), kLaws[i].time, kLaws[i].share,
                          "simulated");
    }
    // Queues have a power law here (exponent below d / (d - 1)), so the mean of a short run says
    // little: 12 runs of 7e5 calls spread by 1.7 % of it, lopsided.
    report.within_share("mean time, evener p2c, bounded Pareto, SCV 32.7",
                        results.mean(pareto, kMean), 2.625, 0.10,
                        "own, 8.4e7 calls: 2.625 +- 0.019 (shorter runs: 2.58)");
    report.within_share("p99, evener p2c, bounded Pareto", results.mean(pareto, kP99), 25, 0.14,
                        "simulated");
  });
  return plan;
}

}  // namespace

Experiment pollaczek_khinchine() {
  return {.id = "E27",
          .name = "pollaczek-khinchine",
          .summary = "at random: waiting grows with the variance of the work",
          .source = "Pollaczek 1930; Khinchine 1932",
          .conventions = {.sampling = "one",
                          .ties = "none",
                          .counting = "requests in flight, the one in service counted"},
          .seconds = 2.5,
          .plan = plan_pk};
}

Experiment variability() {
  return {.id = "E28",
          .name = "variability",
          .summary = "two choices under five laws of work: variance does not rank them",
          .source = "own simulations; Bramson, Lu, Prabhakar 2012",
          .conventions = {.sampling = "with replacement",
                          .ties = "at random",
                          .counting = "requests in flight, the one in service counted"},
          .seconds = 5,
          .plan = plan_laws};
}

}  // namespace evener::lab::queueing
