#include "lab/probing/experiments.h"

#include "balance/probe_pool.h"

namespace evener::lab::probing {
namespace {

// b = (1 + delta) / ((1 - m / n) probes - removed) with delta 1, and what the pool of `prequal`
// makes of it.
Plan plan_prequal(const PlanOptions& options) {
  Plan plan(options);
  const CellId budgets = plan.fixed("reuse", 1, 0, [](Rng&) -> Sample {
    return {ProbePool::reuse(16, 100),
            ProbePool::reuse(16, 16),
            ProbePool::reuse(16, 24),
            ProbePool::reuse(16, 1'000'000),
            static_cast<double>(ProbePool::capacity(100)),
            static_cast<double>(ProbePool::capacity(16))};
  });
  plan.judge([budgets](const Results& results, Report& report) {
    const Sample& got = results.of(budgets).front();
    const std::string source = "Wydrowski et al. 2024, section 4";
    report.within("uses of a probe, pool 16 of 100, evener", exact(got[0]),
                  2 / ((1 - 0.16) * 3 - 1), 1e-12, source);
    report.exactly("uses, pool 16 of 16: denominator -1, evener", got[1], ProbePool::kMost,
                   "the pool's size, where the formula has no value");
    report.exactly("uses, pool 16 of 24: denominator 0, evener", got[2], ProbePool::kMost,
                   "the same");
    report.within("uses, pool 16 of a million, evener", exact(got[3]), 1, 1e-4, source);
    report.exactly("pool's size for 100 endpoints, evener", got[4], 16, source);
    report.at_most("pool's size for 16 endpoints, evener", exact(got[5]), 5,
                   "a third of them keeps the denominator at 1 or more");
  });
  return plan;
}

}  // namespace

Experiment prequal() {
  return {.id = "E35",
          .name = "prequal",
          .summary = "how often Prequal may use a probe, and where its formula ends",
          .source = "Wydrowski, Kleinberg, Rumble, Archer 2024",
          .conventions = {.sampling = "none: arithmetic",
                          .ties = "none",
                          .counting = "3 probes a request, 1 removed, delta 1"},
          .seconds = 0.01,
          .plan = plan_prequal};
}

}  // namespace evener::lab::probing
