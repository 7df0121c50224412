#include "lab/theory/supermarket.h"

#include <fmt/format.h>

#include <cmath>

#include "lab/queueing/cells.h"
#include "lab/queueing/experiments.h"

namespace evener::lab::queueing {
namespace {

constexpr Conventions kDistinct = {
    .sampling = "distinct",
    .ties = "at random",
    .counting = "requests in flight, the one in service counted",
};
constexpr Conventions kReplacement = {
    .sampling = "with replacement",
    .ties = "at random",
    .counting = kDistinct.counting,
};

Plan plan_single(const PlanOptions& options) {
  Plan plan(options);
  const CellId cell = add(plan, "random", 12, fleet(100, 0.5, 600'000, policy("random")));
  plan.judge([cell](const Results& results, Report& report) {
    report.within_share("mean time", controlled(results, cell), 2, 0.01, "exact, M/M/1");
    report.within_share("p99", controlled(results, cell, kP99), 2 * std::log(100.0), 0.02,
                        "exact, M/M/1");
    for (std::size_t k = 1; k <= 4; ++k) {
      report.within_share(fmt::format("P(queue >= {})", k),
                          controlled(results, cell, kTail1 + k - 1), std::pow(0.5, k), 0.03,
                          "exact, M/M/1");
    }
  });
  return plan;
}

constexpr std::size_t kFluidRuns = 8;

sim::FleetOptions fluid(std::uint64_t calls) {
  return fleet(1000, 0.9, calls, policy("p2c", 2, true), 0.2);
}

Plan plan_fluid(const PlanOptions& options) {
  Plan plan(options);
  const CellId cell = add(plan, "p2c, replacement", kFluidRuns, fluid(2'000'000));
  plan.judge([cell](const Results& results, Report& report) {
    const theory::Refined refined = theory::refined_time(0.9, 2);
    report.within_share("mean time, evener p2c, n=1000", controlled(results, cell),
                        refined.at(1000), 0.005, "refined mean field, Gast and Van Houdt 2017");
    report.info("limit of many servers", exact(refined.limit), "Mitzenmacher 2001");
  });
  return plan;
}

Plan plan_tail(const PlanOptions& options) {
  Plan plan(options);
  const CellId cell = add(plan, "p2c, replacement", kFluidRuns, fluid(2'000'000));
  plan.judge([cell](const Results& results, Report& report) {
    constexpr double kTolerance[] = {0.01, 0.01, 0.01, 0.02, 0.04};
    Series expected{"fluid limit", "requests at a server, at least", "share of servers", {}, {}};
    Series got{"evener p2c", expected.x_name, expected.y_name, {}, {}};
    for (std::size_t k = 1; k <= 6; ++k) {
      const Estimate found = controlled(results, cell, kTail1 + k - 1);
      const theory::Refined refined = theory::refined_tail(0.9, 2, k);
      expected.x.push_back(static_cast<double>(k));
      expected.y.push_back(refined.limit);
      got.x.push_back(static_cast<double>(k));
      got.y.push_back(found.value);
      if (k > 5) continue;
      report.within_share(fmt::format("P(queue >= {}), evener p2c, n=1000", k), found,
                          refined.at(1000), kTolerance[k - 1],
                          "fluid limit and its 1/n term, Gast and Van Houdt 2017");
    }
    report.series(std::move(expected));
    report.series(std::move(got));
  });
  return plan;
}

// The simulation column of Mitzenmacher's table, n = 100.
struct Published {
  double load;
  std::uint32_t choices;
  double time;
  double share;  // tolerance
  std::size_t runs;
};
constexpr Published kTable[] = {
    {0.50, 2, 1.2673, 0.003, 12}, {0.50, 3, 1.1277, 0.003, 12}, {0.50, 5, 1.0340, 0.003, 12},
    {0.70, 2, 1.6202, 0.003, 12}, {0.70, 3, 1.3634, 0.003, 12}, {0.70, 5, 1.1766, 0.003, 12},
    {0.80, 2, 1.9585, 0.004, 10}, {0.80, 3, 1.5940, 0.004, 10}, {0.80, 5, 1.3419, 0.004, 10},
    {0.90, 2, 2.6454, 0.005, 12}, {0.90, 3, 2.0614, 0.005, 12}, {0.90, 5, 1.6714, 0.005, 12},
};
constexpr Published kHeavy[] = {
    {0.95, 2, 3.4610, 0.008, 16}, {0.95, 3, 2.6137, 0.008, 16}, {0.95, 5, 2.0730, 0.008, 16},
    {0.99, 2, 5.9275, 0.03, 32},  {0.99, 3, 4.4080, 0.03, 32},  {0.99, 5, 3.4728, 0.03, 32},
};

template <std::size_t N>
Plan plan_published(const PlanOptions& options, const Published (&table)[N], std::uint64_t calls) {
  Plan plan(options);
  std::vector<CellId> cells;
  for (const Published& row : table) {
    cells.push_back(add(plan, fmt::format("load {}, choices {}", row.load, row.choices), row.runs,
                        fleet(100, row.load, calls, policy("p2c", row.choices), 0.2)));
  }
  plan.judge([&table, cells](const Results& results, Report& report) {
    for (std::size_t i = 0; i < N; ++i) {
      const Published& row = table[i];
      report.within_share(
          fmt::format("mean time, evener p2c, load {}, choices {}", row.load, row.choices),
          controlled(results, cells[i]), row.time, row.share, "Mitzenmacher 2001, simulated");
    }
  });
  return plan;
}

Plan plan_table(const PlanOptions& options) { return plan_published(options, kTable, 1'000'000); }
Plan plan_heavy(const PlanOptions& options) { return plan_published(options, kHeavy, 4'000'000); }

Plan plan_sampling(const PlanOptions& options) {
  Plan plan(options);
  const CellId distinct =
      add(plan, "distinct", 14, fleet(100, 0.7, 1'000'000, policy("p2c", 5), 0.1));
  const CellId again =
      add(plan, "replacement", 14, fleet(100, 0.7, 1'000'000, policy("p2c", 5, true), 0.1));
  plan.judge([distinct, again](const Results& results, Report& report) {
    report.within("mean time, evener p2c, choices 5, distinct", controlled(results, distinct),
                  1.1760, 0.0025, "simulated, 4e7 jobs");
    report.within("mean time, evener p2c, choices 5, replacement", controlled(results, again),
                  theory::refined_time(0.7, 5).at(100), 0.0025, "refined mean field");
  });
  return plan;
}

Plan plan_few(const PlanOptions& options) {
  Plan plan(options);
  struct Few {
    std::uint32_t n;
    double time;
  };
  static constexpr Few kFew[] = {{2, 5.46}, {3, 4.29}, {5, 3.47}, {10, 2.99}, {20, 2.78}};
  std::vector<CellId> cells;
  for (const Few& few : kFew) {
    cells.push_back(add(plan, fmt::format("n={}", few.n), few.n < 5 ? 32 : 12,
                        fleet(few.n, 0.9, 700'000, policy("p2c"))));
  }
  plan.judge([cells](const Results& results, Report& report) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      report.within_share(fmt::format("mean time, evener p2c, n={}", kFew[i].n),
                          controlled(results, cells[i]), kFew[i].time, 0.02, "simulated");
    }
  });
  return plan;
}

}  // namespace

Experiment single_server() {
  return {.id = "E01",
          .name = "single-server",
          .summary = "at random, 100 servers, load 0.5: each is M/M/1",
          .source = "Erlang 1909",
          .conventions = {.sampling = "one", .ties = "none", .counting = kDistinct.counting},
          .seconds = 0.6,
          .plan = plan_single};
}

Experiment fluid_limit() {
  return {.id = "E02",
          .name = "fluid-limit",
          .summary = "two choices, 1,000 servers, load 0.9, against the refined limit",
          .source = "Mitzenmacher 2001; Gast and Van Houdt 2017",
          .conventions = kReplacement,
          .seconds = 2.2,
          .plan = plan_fluid};
}

Experiment published_table() {
  return {.id = "E03",
          .name = "published-table",
          .summary = "100 servers, two, three and five choices, against the published table",
          .source = "Mitzenmacher 2001, table of simulations",
          .conventions = kDistinct,
          .seconds = 13,
          .plan = plan_table};
}

Experiment published_heavy() {
  return {.id = "E03b",
          .name = "published-table-heavy",
          .summary = "the same at loads 0.95 and 0.99, which mix slowly",
          .source = "Mitzenmacher 2001, table of simulations",
          .conventions = kDistinct,
          .nightly = true,
          .seconds = 80,
          .plan = plan_heavy};
}

Experiment sampling_matters() {
  return {.id = "E04",
          .name = "sampling-matters",
          .summary = "five choices, distinct or with replacement: the third digit",
          .source = "Gast and Van Houdt 2017",
          .conventions = {.sampling = "as the row says",
                          .ties = "at random",
                          .counting = kDistinct.counting},
          .seconds = 3,
          .plan = plan_sampling};
}

Experiment tail_shape() {
  return {.id = "E05",
          .name = "tail-shape",
          .summary = "two choices: queue lengths fall doubly exponentially",
          .source = "Vvedenskaya, Dobrushin, Karpelevich 1996",
          .conventions = kReplacement,
          .seconds = 2.2,
          .plan = plan_tail};
}

Experiment few_servers() {
  return {.id = "E06",
          .name = "few-servers",
          .summary = "two choices among two to twenty servers, load 0.9",
          .source = "Mitzenmacher 2001",
          .conventions = kDistinct,
          .seconds = 4.5,
          .plan = plan_few};
}

}  // namespace evener::lab::queueing
