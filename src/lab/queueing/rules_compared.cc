#include <evener/policy.h>
#include <fmt/format.h>

#include "lab/queueing/cells.h"
#include "lab/queueing/experiments.h"
#include "lab/queueing/rules.h"
#include "lab/theory/queues.h"

namespace evener::lab::queueing {
namespace {

constexpr std::string_view kCounted = "requests in flight, the one in service counted";

Plan plan_round_robin(const PlanOptions& options) {
  Plan plan(options);
  const auto turns = policy("round_robin");
  const CellId half = add(plan, "load 0.5", 8, fleet(100, 0.5, 500'000, turns));
  const CellId nine = add(plan, "load 0.9", 12, fleet(100, 0.9, 1'000'000, turns, 0.2));
  sim::FleetOptions equal = fleet(100, 0.7, 300'000, turns);
  equal.work = sim::Distribution::constant(kService_s);
  const CellId constant = add(plan, "equal work", 2, equal);
  plan.judge([half, nine, constant](const Results& results, Report& report) {
    const std::string source = "exact, E_n/M/1";
    report.within_share("mean time, evener round_robin, load 0.5", controlled(results, half),
                        theory::round_robin_time(100, 0.5), 0.01, source);
    report.within_share("mean time, evener round_robin, load 0.9", controlled(results, nine),
                        theory::round_robin_time(100, 0.9), 0.02, source);
    report.within("mean time, evener round_robin, equal work, load 0.7",
                  controlled(results, constant), 1, 1e-3, "no two meet");
  });
  return plan;
}

Plan plan_least_work(const PlanOptions& options) {
  Plan plan(options);
  const CellId ten = add(plan, "n=10, load 0.9", 8, fleet(10, 0.9, 600'000, least_work_rule(0)));
  const CellId hundred =
      add(plan, "n=100, load 0.95", 14, fleet(100, 0.95, 600'000, least_work_rule(0)));
  plan.judge([ten, hundred](const Results& results, Report& report) {
    const std::string source = "exact, Erlang C";
    report.within_share("mean time, n=10, load 0.9", controlled(results, ten),
                        theory::erlang_c_time(10, 0.9), 0.02, source);
    report.within_share("mean time, n=100, load 0.95", controlled(results, hundred),
                        theory::erlang_c_time(100, 0.95), 0.005, source);
  });
  return plan;
}

Plan plan_floor(const PlanOptions& options) {
  Plan plan(options);
  std::vector<std::string> names;
  std::vector<bool> looks;
  std::vector<CellId> cells;
  for (const PolicyInfo& info : policy_catalog()) {
    if (info.uses_key) continue;
    names.emplace_back(info.name);
    looks.push_back(info.uses_load);
    const auto chooser = policy(names.back().c_str(), kChoicesUsual);  // as it is
    sim::FleetOptions one = fleet(100, 0.9, 400'000, chooser, 0.2);
    one.reports = info.takes_reports;
    cells.push_back(add(plan, names.back(), 6, one));
  }
  plan.judge([names, looks, cells](const Results& results, Report& report) {
    const double bound = theory::erlang_c_time(100, 0.9) * 0.997;
    const double in_turn = theory::round_robin_time(100, 0.9);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string label = fmt::format("mean time, evener {}", names[i]);
      const Estimate got = controlled(results, cells[i]);
      if (names[i] == "least_request" || names[i] == "idle_first") {
        report.within_share(label, got, 1.067, 0.01, "shortest of all, simulated");
      } else if (looks[i]) {
        report.between(label, got, bound, in_turn, "Erlang C less 0.3 %; in turn, exact");
      } else {
        report.at_least(label, got, bound, "Erlang C less 0.3 %");
      }
    }
  });
  return plan;
}

Plan plan_two(const PlanOptions& options) {
  Plan plan(options);
  const CellId cell =
      add(plan, "least work of two", 8, fleet(1000, 0.9, 1'500'000, least_work_rule(2), 0.2));
  plan.judge([cell](const Results& results, Report& report) {
    report.within_share("mean time, n=1000", controlled(results, cell),
                        theory::least_work_time(0.9, 2), 0.01, "fluid limit, Hellemans 2018");
  });
  return plan;
}

}  // namespace

Experiment round_robin() {
  return {.id = "E23",
          .name = "round-robin",
          .summary = "in turn: each server is E_n/M/1",
          .source = "Kleinrock 1975, chapter 6",
          .conventions = {.sampling = "in turn", .ties = "none", .counting = kCounted},
          .seconds = 1.5,
          .plan = plan_round_robin};
}

Experiment least_work_left() {
  return {.id = "E24",
          .name = "least-work-left",
          .summary = "the least work left of all is one central queue",
          .source = "Erlang 1917; Foss 1980",
          .conventions = {.sampling = "all",
                          .ties = "at random",
                          .counting = "work left, the rest of the one in service counted"},
          .seconds = 3,
          .plan = plan_least_work};
}

Experiment floor_of_all() {
  return {.id = "E25",
          .name = "floor",
          .summary = "no policy beats the central queue; to look at load beats turns",
          .source = "Foss 1980; Daley 1987",
          .conventions = {.sampling = "as each policy does",
                          .ties = "as each policy does",
                          .counting = kCounted},
          .seconds = 3.4,
          .plan = plan_floor};
}

Experiment least_work_of_two() {
  return {.id = "E26",
          .name = "least-work-of-two",
          .summary = "the least work left of two, 1,000 servers, load 0.9",
          .source = "Hellemans, Van Houdt 2018",
          .conventions = {.sampling = "distinct",
                          .ties = "to the first drawn",
                          .counting = "work left, the rest of the one in service counted"},
          .seconds = 1.2,
          .plan = plan_two};
}

}  // namespace evener::lab::queueing
