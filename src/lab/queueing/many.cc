#include <fmt/format.h>

#include "lab/queueing/cells.h"
#include "lab/queueing/experiments.h"
#include "lab/queueing/rules.h"
#include "lab/theory/queues.h"

namespace evener::lab::queueing {
namespace {

constexpr Conventions kOwn = {
    .sampling = "distinct",
    .ties = "at random",
    .counting = "each balancer's own requests in flight, no network delay",
};

struct Many {
  std::uint32_t balancers;
  double time;
  double own = 0;  // two choices on own counts
};

sim::FleetOptions many(std::uint32_t balancers, const sim::ChooserFactory& chooser,
                       std::uint64_t calls = 800'000) {
  sim::FleetOptions options = fleet(100, 0.9, calls, chooser);
  options.balancers = balancers;
  return options;
}

Plan plan_many(const PlanOptions& options) {
  Plan plan(options);
  static constexpr Many kMany[] = {{1, 2.64}, {2, 2.96}, {10, 4.20}, {100, 7.10}};
  std::vector<CellId> cells;
  for (const Many& m : kMany) {
    cells.push_back(
        add(plan, fmt::format("{} balancers", m.balancers), 8, many(m.balancers, policy("p2c"))));
  }
  plan.judge([cells](const Results& results, Report& report) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      report.within_share(fmt::format("mean time, evener p2c, {} balancers", kMany[i].balancers),
                          controlled(results, cells[i]), kMany[i].time, 0.03, "simulated");
    }
  });
  return plan;
}

// The policy believes a report for a second, 1,000 service times here, so that it is not cut short
// by the age of what it knows.
sim::FleetOptions in_milliseconds(sim::FleetOptions options) {
  options.work = sim::Distribution::exponential(kService_s / 10);
  options.arrivals = sim::Arrivals::poisson(options.arrivals.rate * 10);
  return options;
}

Estimate tenfold(Estimate e) { return {e.value * 10, e.half_width * 10, e.runs}; }

Plan plan_lsq(const PlanOptions& options) {
  Plan plan(options);
  static constexpr Many kMany[] = {
      {1, 2.71, 2.64}, {2, 2.70, 2.96}, {10, 2.82, 4.20}, {100, 3.75, 7.10}};
  std::vector<CellId> rule;
  std::vector<CellId> real;
  for (const Many& m : kMany) {
    rule.push_back(add(plan, fmt::format("rule, {} balancers", m.balancers), 8,
                       many(m.balancers, local_shortest_rule(), 600'000)));
    real.push_back(add(plan, fmt::format("evener lsq, {} balancers", m.balancers), 8,
                       in_milliseconds(many(m.balancers, told_policy({.name = "lsq"}), 600'000))));
  }
  plan.judge([rule, real](const Results& results, Report& report) {
    for (std::size_t i = 0; i < rule.size(); ++i) {
      report.within_share(fmt::format("mean time, rule, {} balancers", kMany[i].balancers),
                          controlled(results, rule[i]), kMany[i].time, 0.04, "simulated");
      // The policy is not the rule: it also knows its own answers, and so forgets what it sent,
      // which is news of the others' sending too. Better for few balancers, worse for very many.
      report.at_most(fmt::format("mean time, evener lsq, {} balancers", kMany[i].balancers),
                     tenfold(controlled(results, real[i])), kMany[i].own * 0.8,
                     "a fifth below two choices on own counts, E21");
    }
  });
  return plan;
}

Plan plan_jiq(const PlanOptions& options) {
  Plan plan(options);
  static constexpr Many kMany[] = {{25, 1.207}, {100, 1.782}};
  std::vector<CellId> cells;
  for (const Many& m : kMany) {
    sim::FleetOptions one = fleet(1000, 0.9, 1'500'000, nullptr, 0.2);
    one.balancers = m.balancers;
    cells.push_back(add(plan, fmt::format("{} balancers", m.balancers), 6, one, join_idle_rule));
  }
  const CellId real =
      add(plan, "evener idle_first", 6, fleet(1000, 0.9, 1'500'000, policy("idle_first"), 0.2));
  plan.judge([cells, real](const Results& results, Report& report) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double servers = 1000.0 / kMany[i].balancers;
      report.within_share(fmt::format("mean time, {} balancers", kMany[i].balancers),
                          controlled(results, cells[i]), theory::join_idle_time(0.9, servers), 0.03,
                          "Lu et al. 2011, large-system approximation");
      report.within_share(fmt::format("the same, {} balancers, simulated", kMany[i].balancers),
                          controlled(results, cells[i]), kMany[i].time, 0.02, "simulated");
    }
    report.within("mean time, evener idle_first, one balancer", controlled(results, real), 1, 0.005,
                  "an idle server is always found");
  });
  return plan;
}

}  // namespace

Experiment many_balancers() {
  return {.id = "E21",
          .name = "many-balancers",
          .summary = "two choices by own counts: what each balancer does not see",
          .source = "own simulations",
          .conventions = kOwn,
          .seconds = 3.6,
          .plan = plan_many};
}

Experiment local_shortest_queue() {
  return {
      .id = "E22",
      .name = "local-shortest-queue",
      .summary = "one refreshed server per choice repairs what many balancers break",
      .source = "Vargaftik, Keslassy, Orda 2020",
      .conventions = {.sampling = "all",
                      .ties = "at random",
                      .counting = "estimates of a server's requests, the one in service counted"},
      .seconds = 6,
      .plan = plan_lsq};
}

Experiment join_idle_queue() {
  return {.id = "E29",
          .name = "join-idle-queue",
          .summary = "idle servers announce themselves to a random balancer, 1,000 servers",
          .source = "Lu et al. 2011",
          .conventions = {.sampling = "idle servers in turn, else one at random",
                          .ties = "none",
                          .counting = "a server is idle when it holds nothing"},
          .seconds = 2.9,
          .plan = plan_jiq};
}

}  // namespace evener::lab::queueing
