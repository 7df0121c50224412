#include <fmt/format.h>

#include "lab/queueing/cells.h"
#include "lab/queueing/experiments.h"
#include "lab/queueing/rules.h"
#include "lab/theory/supermarket.h"

namespace evener::lab::queueing {
namespace {

constexpr std::uint32_t kServers = 100;
constexpr double kLoad = 0.9;
constexpr Conventions kBoard = {
    .sampling = "distinct",
    .ties = "at random",
    .counting = "posted queue lengths, the one in service counted",
};

// `period` in service times.
sim::FleetOptions on_board(BoardRule rule, double period, std::uint64_t calls,
                           double warm_up = 0.1) {
  rule.per_period = kLoad * kServers * period;
  sim::FleetOptions options = fleet(kServers, kLoad, calls, board_rule(rule), warm_up);
  options.tick_every = Duration::from_seconds(period * kService_s);
  return options;
}

Plan plan_board(const PlanOptions& options) {
  Plan plan(options);
  struct Case {
    double period;
    double time;
  };
  static constexpr Case kCases[] = {{0.5, 2.811}, {1, 2.964}, {2, 3.247}, {4, 3.769}, {8, 4.679}};
  std::vector<CellId> cells;
  for (const Case& c : kCases) {
    cells.push_back(
        add(plan, fmt::format("period {}", c.period), 8, on_board({}, c.period, 600'000)));
  }
  plan.judge([cells](const Results& results, Report& report) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double period = kCases[i].period;
      report.within_share(fmt::format("mean time, two choices, period {}", period),
                          controlled(results, cells[i]), kCases[i].time, 0.02,
                          "simulated, 1.2e7 jobs");
      report.info(fmt::format("fluid limit, period {}", period),
                  exact(theory::stale_board_time(kLoad, 2, period)), "Mitzenmacher 2000");
    }
  });
  return plan;
}

struct Named4 {
  const char* name;
  BoardRule rule;
};
constexpr Named4 kRules[] = {
    {"LI", {.pick = BoardRule::Pick::kInterpretation}},
    {"2", {}},
    {"3", {.choices = 3}},
    {"random", {.choices = 1}},
    {"all", {.pick = BoardRule::Pick::kAll}},
};
constexpr double kPeriods[] = {0.1, 1, 8, 64};

Plan plan_order(const PlanOptions& options) {
  Plan plan(options);
  std::vector<std::vector<CellId>> cells;
  for (const double period : kPeriods) {
    auto& row = cells.emplace_back();
    for (const Named4& named : kRules) {
      row.push_back(add(plan, fmt::format("period {}, {}", period, named.name), 4,
                        on_board(named.rule, period, 400'000, 0.2)));
    }
  }
  plan.judge([cells](const Results& results, Report& report) {
    const auto figures = [&](std::size_t period, std::initializer_list<std::size_t> order) {
      std::vector<Named> out;
      for (const std::size_t i : order) {
        out.push_back({kRules[i].name, results.mean(cells[period][i], kMean).value});
      }
      return out;
    };
    const std::string source = "simulated; Mitzenmacher 2000, Dahlin 2000";
    report.rising("period 0.1", figures(0, {0, 4, 2, 1}), source);
    report.rising("period 1", figures(1, {0, 2, 1, 4}), source);
    // LI and two choices are within 2 % of each other here.
    report.rising("period 8", figures(2, {0, 1, 2, 3, 4}), source, 0.03);
    report.rising("period 64", figures(3, {0, 3, 1, 2, 4}), source);
    for (std::size_t i = 0; i < std::size(kRules); ++i) {
      Series series{kRules[i].name, "period, service times", "mean time, service times", {}, {}};
      for (std::size_t p = 0; p < std::size(kPeriods); ++p) {
        series.x.push_back(kPeriods[p]);
        series.y.push_back(results.mean(cells[p][i], kMean).value);
      }
      report.series(std::move(series));
    }
  });
  return plan;
}

Plan plan_own(const PlanOptions& options) {
  Plan plan(options);
  const CellId two = add(plan, "two choices", 8, on_board({.own = true}, 8, 600'000));
  const CellId all =
      add(plan, "all", 8, on_board({.pick = BoardRule::Pick::kAll, .own = true}, 8, 600'000));
  plan.judge([two, all](const Results& results, Report& report) {
    report.within_share("mean time, two choices, period 8", controlled(results, two), 3.57, 0.03,
                        "simulated");
    report.within_share("mean time, shortest of all, period 8", controlled(results, all), 2.92,
                        0.03, "simulated");
  });
  return plan;
}

}  // namespace

Experiment stale_board() {
  return {.id = "E18",
          .name = "stale-board",
          .summary = "two choices on a board renewed every T, 100 servers, load 0.9",
          .source = "Mitzenmacher, How useful is old information, 2000",
          .conventions = kBoard,
          .seconds = 1.8,
          .plan = plan_board};
}

Experiment stale_order() {
  return {.id = "E19",
          .name = "stale-order",
          .summary = "which rule is best with a board of which age",
          .source = "Mitzenmacher 2000; Dahlin 2000",
          .conventions = kBoard,
          .seconds = 2.7,
          .plan = plan_order};
}

Experiment own_increments() {
  return {.id = "E20",
          .name = "own-increments",
          .summary = "one balancer adds what it sent to its board: no more herd on itself",
          .source = "Mitzenmacher 2000",
          .conventions = {.sampling = "distinct",
                          .ties = "at random",
                          .counting = "posted queue lengths plus what was sent since"},
          .seconds = 1.4,
          .plan = plan_own};
}

}  // namespace evener::lab::queueing
