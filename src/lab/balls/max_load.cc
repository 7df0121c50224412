#include <cmath>

#include "lab/balls/cells.h"
#include "lab/balls/experiments.h"
#include "lab/theory/balls.h"

namespace evener::lab::balls {
namespace {

constexpr Conventions kConventions = {
    .sampling = "distinct, or with replacement where the row says so",
    .ties = "at random",
    .counting = "a bin's load is the number of its balls; as many balls as bins",
};
constexpr std::size_t k16 = std::size_t{1} << 16;

Plan plan_max_load(const PlanOptions& options) {
  Plan plan(options);
  const CellId lean = plan.cell("lean", 10'000, 1e-6, lean_fullest(100, {.choices = 1}));
  const CellId real = plan.cell("evener random", 10'000, 2e-5,
                                real_fullest(equal_endpoints(100), {.name = "random"}));
  plan.judge([lean, real](const Results& results, Report& report) {
    const std::vector<double> exact = theory::fullest_of_one_choice(100, 100, 12);
    const std::string source = "exact, multinomial";
    report.within("mean fullest, lean", results.mean(lean), theory::mean_of(exact), 0.03, source);
    report.within("P(fullest = 4), lean", results.share(lean, 4), exact[4], 0.02, source);
    report.within("mean fullest, evener random", results.mean(real), theory::mean_of(exact), 0.03,
                  source);
    report.within("P(fullest = 4), evener random", results.share(real, 4), exact[4], 0.02, source);
    Series expected{"exact", "balls in the fullest bin", "probability", {}, {}};
    Series got{"evener random", expected.x_name, expected.y_name, {}, {}};
    for (std::size_t k = 2; k < 10; ++k) {
      expected.x.push_back(static_cast<double>(k));
      expected.y.push_back(exact[k]);
      got.x.push_back(static_cast<double>(k));
      got.y.push_back(results.share(real, static_cast<double>(k)).value);
    }
    report.series(std::move(expected));
    report.series(std::move(got));
  });
  return plan;
}

Plan plan_two_choices(const PlanOptions& options) {
  Plan plan(options);
  const EndpointSetPtr set = equal_endpoints(100);
  constexpr std::size_t kRuns = 40'000;
  const CellId lean = plan.cell("lean", kRuns, 1e-6, lean_fullest(100, {}));
  const CellId lean_again =
      plan.cell("lean, replacement", kRuns, 1e-6, lean_fullest(100, {.replacement = true}));
  const CellId real = plan.cell("evener p2c", kRuns, 2e-5, real_fullest(set, {.name = "p2c"}));
  const CellId real_again = plan.cell("evener p2c, replacement", kRuns, 2e-5,
                                      real_fullest(set, {.name = "p2c", .replacement = true}));
  const CellId pair = plan.cell("evener p2c, two endpoints", 100, 2e-5,
                                real_gap(equal_endpoints(2), 50, {.name = "p2c"}));
  plan.judge([lean, lean_again, real, real_again, pair](const Results& results, Report& report) {
    const std::string source = "simulated, 1e6 runs";
    constexpr double kDistinct = 2.557;
    constexpr double kReplacement = 2.586;
    report.within("mean fullest, lean", results.mean(lean), kDistinct, 0.012, source);
    report.within("mean fullest, lean, replacement", results.mean(lean_again), kReplacement, 0.012,
                  source);
    report.within("mean fullest, evener p2c", results.mean(real), kDistinct, 0.012, source);
    report.within("mean fullest, evener p2c, replacement", results.mean(real_again), kReplacement,
                  0.012, source);
    report.within("share of the lower half, evener p2c", results.mean(real, 1), 0.5, 0.002,
                  "ties are fair: no half is preferred");
    report.exactly("fullest of two endpoints over the mean, evener p2c", results.most(pair), 0,
                   "two distinct choices see both");
  });
  return plan;
}

Plan plan_table(const PlanOptions& options) {
  Plan plan(options);
  constexpr std::size_t kRuns = 200;
  std::vector<CellId> lean;
  for (std::uint32_t choices = 1; choices <= 4; ++choices) {
    lean.push_back(plan.cell("lean, choices " + std::to_string(choices), kRuns, 1e-3,
                             lean_fullest(k16, {.choices = choices, .replacement = true})));
  }
  const CellId real =
      plan.cell("evener p2c", 100, 2.5e-2, real_fullest(equal_endpoints(k16), {.name = "p2c"}));
  plan.judge([lean, real](const Results& results, Report& report) {
    const auto expected = [](std::size_t choices) {
      return theory::fullest_distribution(theory::ball_tails(choices), k16);
    };
    const std::string source = "fluid limit, Poisson count";
    report.within("mean fullest, lean, 1 choice", results.mean(lean[0]),
                  theory::mean_of(expected(1)), 0.2, source);
    report.within("P(fullest = 3), lean, 2 choices", results.share(lean[1], 3), expected(2)[3],
                  0.14, source);
    report.exactly("P(fullest = 3), lean, 3 choices", results.share(lean[2], 3).value, 1, source);
    report.within("P(fullest = 3), lean, 4 choices", results.share(lean[3], 3), expected(4)[3],
                  0.12, source);
    report.within("P(fullest = 3), evener p2c", results.share(real, 3), expected(2)[3], 0.2,
                  source);
  });
  return plan;
}

Plan plan_million(const PlanOptions& options) {
  Plan plan(options);
  constexpr std::size_t kBins = 1'000'000;
  const CellId one = plan.cell("lean, 1 choice", 20, 0.01, lean_fullest(kBins, {.choices = 1}));
  const CellId two = plan.cell("lean, 2 choices", 20, 0.02, lean_fullest(kBins, {}));
  plan.judge([one, two](const Results& results, Report& report) {
    const auto expected = theory::fullest_distribution(theory::ball_tails(1, 1, 16), kBins);
    const std::string source = "fluid limit, Poisson count";
    report.within("mean fullest, 1 choice", results.mean(one), theory::mean_of(expected), 0.6,
                  source);
    std::size_t usual = 0;
    for (const double fullest : results.column(one)) usual += fullest >= 8 && fullest <= 12;
    // One run in 10,000 is outside: at most one of twenty may be.
    report.at_least("P(fullest is 8 to 12), 1 choice", share_of_runs(usual, results.of(one).size()),
                    0.95, source);
    report.between("least of all runs, 2 choices", exact(results.least(two)), 3, 4, source);
    report.between("most of all runs, 2 choices", exact(results.most(two)), 3, 4, source);
    report.info("ln n / ln ln n, which is no estimate of it",
                exact(std::log(1e6) / std::log(std::log(1e6))), "leading term");
    report.info("inverse gamma(n) - 3/2, which is one", exact(theory::gonnet_fullest(1e6)),
                "Gonnet 1981");
  });
  return plan;
}

Plan plan_go_left(const PlanOptions& options) {
  Plan plan(options);
  const EndpointSetPtr big = equal_endpoints(k16);
  const EndpointSetPtr small = equal_endpoints(4096);
  const CellId two =
      plan.cell("lean, 2 groups", 400, 2e-3, lean_fullest(k16, {.choices = 2, .go_left = true}));
  const CellId four =
      plan.cell("lean, 4 groups", 100, 3e-3, lean_fullest(k16, {.choices = 4, .go_left = true}));
  const CellId real =
      plan.cell("evener go_left", 60, 2.5e-2, real_fullest(big, {.name = "go_left"}));
  const CellId real_four = plan.cell("evener go_left, 4 groups", 200, 1e-3,
                                     real_fullest(small, {.name = "go_left", .choices = 4}));
  plan.judge([two, four, real, real_four](const Results& results, Report& report) {
    const auto expected = theory::fullest_distribution(theory::go_left_tails(2), k16);
    const std::string source = "fluid limit, Poisson count";
    report.within("P(fullest = 3), lean, 2 groups", results.share(two, 3), expected[3], 0.03,
                  source);
    report.exactly("P(fullest = 2), lean, 4 groups", results.share(four, 2).value, 1, source);
    report.within("P(fullest = 3), evener go_left, 2 groups", results.share(real, 3), expected[3],
                  0.04, source);
    report.exactly("P(fullest = 2), evener go_left, 4 groups of 1024",
                   results.share(real_four, 2).value, 1, source);
    report.info("P(fullest = 3), two choices at random",
                exact(theory::fullest_distribution(theory::ball_tails(2), k16)[3]), source);
  });
  return plan;
}

Plan plan_memory(const PlanOptions& options) {
  Plan plan(options);
  const EndpointSetPtr set = equal_endpoints(k16);
  const CellId remembers =
      plan.cell("lean, 1 + 1", 200, 2e-3, lean_fullest(k16, {.choices = 1, .memory = true}));
  const CellId two = plan.cell("lean, 2", 1'000, 1e-3, lean_fullest(k16, {}));
  const CellId third =
      plan.cell("lean, 2 + 1", 100, 2e-3, lean_fullest(k16, {.choices = 2, .memory = true}));
  const CellId real = plan.cell("evener 1 + 1", 40, 3.5e-2,
                                real_fullest(set, {.name = "p2c_memory", .choices = 1}));
  const CellId real_third =
      plan.cell("evener 2 + 1", 20, 3.5e-2, real_fullest(set, {.name = "p2c_memory"}));
  plan.judge([remembers, two, third, real, real_third](const Results& results, Report& report) {
    const std::string source = "simulated, 1,000 runs";
    report.within("mean fullest, 1 fresh + 1 remembered, lean", results.mean(remembers), 3.99, 0.05,
                  source);
    report.within("mean fullest, 2 fresh, lean", results.mean(two), 3.30, 0.12, source);
    // Not always: one run in 600 or so has a bin of 4.
    report.at_least("P(fullest = 3), 2 fresh + 1 remembered, lean", results.share(third, 3), 0.96,
                    "simulated, 1,200 runs: 0.998");
    report.within("mean fullest, 1 fresh + 1 remembered, evener p2c_memory", results.mean(real),
                  3.99, 0.1, source);
    report.at_least("P(fullest = 3), 2 fresh + 1 remembered, evener p2c_memory",
                    results.share(real_third, 3), 0.9, "simulated, 1,200 runs: 0.998");
  });
  return plan;
}

}  // namespace

Experiment max_load() {
  return {.id = "E07",
          .name = "max-load",
          .summary = "100 balls in 100 bins, one choice: the fullest bin",
          .source = "Gonnet 1981; Raab and Steger 1998",
          .conventions = kConventions,
          .seconds = 0.1,
          .plan = plan_max_load};
}

Experiment two_choices() {
  return {.id = "E08",
          .name = "two-choices",
          .summary = "the same with two choices, distinct and with replacement",
          .source = "Azar, Broder, Karlin, Upfal 1999",
          .conventions = kConventions,
          .seconds = 0.8,
          .plan = plan_two_choices};
}

Experiment max_load_table() {
  return {.id = "E09",
          .name = "max-load-table",
          .summary = "65,536 bins, one to four choices: the fullest bin",
          .source = "Azar, Broder, Karlin, Upfal 1999; Mitzenmacher 1996",
          .conventions = kConventions,
          .seconds = 1.7,
          .plan = plan_table};
}

Experiment million_bins() {
  return {.id = "E10",
          .name = "million-bins",
          .summary = "a million bins: one choice against two",
          .source = "Gonnet 1981; Mitzenmacher 1996",
          .conventions = kConventions,
          .seconds = 0.1,
          .plan = plan_million};
}

Experiment go_left() {
  return {.id = "E11",
          .name = "go-left",
          .summary = "Always-Go-Left: groups, and ties to the left",
          .source = "Voecking 2003",
          .conventions = {.sampling = "one in each group, so distinct",
                          .ties = "to the leftmost group",
                          .counting = kConventions.counting},
          .seconds = 1.5,
          .plan = plan_go_left};
}

Experiment memory() {
  return {.id = "E17",
          .name = "memory",
          .summary = "one remembered bin: worse than a second draw, good as a third",
          .source = "Mitzenmacher, Prabhakar, Shah 2002",
          .conventions = kConventions,
          .seconds = 1.2,
          .plan = plan_memory};
}

}  // namespace evener::lab::balls
