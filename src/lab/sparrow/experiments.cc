#include "lab/sparrow/experiments.h"

#include <algorithm>

#include "lab/sparrow/cluster.h"

namespace evener::lab::sparrow {
namespace {

Plan plan_sparrow(const PlanOptions& options) {
  Plan plan(options);
  // Below scale 1 the runs are shorter, too: from 60,000 jobs down to 10,000.
  const double jobs = 60'000 * std::clamp(options.scale, 1.0 / 6, 1.0);
  const Setup setup = {.jobs = static_cast<std::size_t>(jobs)};
  const auto cell = [&plan, setup](std::string name, Rule rule, double seconds,
                                   std::size_t runs = 2) {
    return plan.cell(std::move(name), runs, seconds, [rule, setup](Rng& rng) -> Sample {
      return {quantile(response_times(rule, setup, rng), 0.5)};
    });
  };
  const CellId random = cell("random", Rule::kRandom, 0.9, 4);
  const CellId each = cell("per task", Rule::kPerTask, 1.2, 4);
  const CellId batch = cell("batch", Rule::kBatch, 1.2, 8);
  const CellId ideal = cell("ideal", Rule::kIdeal, 0.9);
  const CellId real_each = cell("evener p2c", Rule::kProductP2c, 3);
  const CellId real_batch = cell("evener pick_batch", Rule::kProductBatch, 3);
  const CellId late = cell("evener LateBinding", Rule::kLateBinding, 3);
  plan.judge([random, each, batch, ideal, real_each, real_batch, late](const Results& results,
                                                                       Report& report) {
    const std::string source = "simulated, the authors' set-up";
    report.within_share("median, random", results.mean(random), 6.39, 0.1, source);
    report.within_share("median, two choices per task, lean", results.mean(each), 1.82, 0.05,
                        source);
    report.within_share("median, two choices per task, evener p2c", results.mean(real_each), 1.82,
                        0.05, source);
    report.within_share("median, batch, one task a worker, lean", results.mean(batch), 1.035, 0.08,
                        "simulated, 16 runs of 60,000 jobs");
    report.at_most("median, batch, evener pick_batch", results.mean(real_batch), 1.035,
                   "no worse than one task a worker");
    report.within_share("median, late binding, evener LateBinding", results.mean(late), 0.704, 0.05,
                        source);
    report.within_share("median, one central line", results.mean(ideal), 0.673, 0.05, source);
    report.at_most("late binding over ideal",
                   exact(results.mean(late).value / results.mean(ideal).value), 1.08,
                   "simulated 1.05; Sparrow's paper: within 5 % of an omniscient scheduler");
  });
  return plan;
}

}  // namespace

Experiment sparrow() {
  return {.id = "E32",
          .name = "sparrow",
          .summary = "jobs of 100 tasks: probes per task, per batch, late binding",
          .source = "Ousterhout, Wendell, Zaharia, Stoica 2013",
          .conventions = {.sampling = "distinct; of a batch and of reservations, twice the tasks",
                          .ties = "at random",
                          .counting = "tasks at a worker, the running ones included; no delay"},
          .seconds = 20,
          .plan = plan_sparrow};
}

}  // namespace evener::lab::sparrow
