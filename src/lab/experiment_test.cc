#include "lab/experiment.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/check.h"

namespace evener::lab {
namespace {

Plan two_cells(const PlanOptions& options) {
  Plan plan(options);
  const CellId a = plan.cell("a", 1'000, 0, [](Rng& rng) -> Sample { return {rng.uniform01()}; });
  const CellId b = plan.fixed(
      "b", 3, 1, [](Rng& rng) -> Sample { return {1, static_cast<double>(rng.below(1'000'000))}; });
  plan.judge([a, b](const Results& results, Report& report) {
    report.within("mean", results.mean(a), 0.5, 0.05, "");
    report.exactly("runs", static_cast<double>(results.of(a).size()), 1'000, "");
    for (const double value : results.column(b, 1)) report.info("draw", exact(value), "");
  });
  return plan;
}

constexpr Experiment kExperiment = {.id = "X1", .name = "x", .plan = two_cells};

std::vector<double> figures(const Experiment& experiment, const RunOptions& options) {
  std::vector<double> out;
  for (const Row& row : run(experiment, options).rows()) out.push_back(row.got.value);
  return out;
}

TEST(Experiment, same_seed_same_figures_for_any_number_of_threads) {
  const auto one = figures(kExperiment, {.seed = 9, .jobs = 1});
  EXPECT_EQ(one, figures(kExperiment, {.seed = 9, .jobs = 2}));
  EXPECT_EQ(one, figures(kExperiment, {.seed = 9, .jobs = 16}));
  EXPECT_NE(one, figures(kExperiment, {.seed = 10, .jobs = 2}));
}

TEST(Experiment, replications_cells_and_experiments_have_streams_of_their_own) {
  const auto first = [](std::string_view experiment, std::string_view cell, std::size_t i) {
    return replication_rng(1, experiment, cell, i).u64();
  };
  EXPECT_NE(first("E1", "a", 0), first("E1", "a", 1));
  EXPECT_NE(first("E1", "a", 0), first("E1", "b", 0));
  EXPECT_NE(first("E1", "a", 0), first("E2", "a", 0));
  EXPECT_EQ(first("E1", "a", 5), first("E1", "a", 5));
}

TEST(Experiment, scale_changes_runs_and_tolerance) {
  const Report report = run(kExperiment, {.seed = 1, .jobs = 2, .scale = 0.25});
  EXPECT_EQ(report.rows()[1].got.value, 250);
  EXPECT_DOUBLE_EQ(report.rows()[0].tolerance, 0.1);
  EXPECT_EQ(report.rows().size(), 5u) << "a fixed cell keeps its runs";
  EXPECT_DOUBLE_EQ(run(kExperiment, {.seed = 1, .scale = 4}).rows()[0].tolerance, 0.05);
}

TEST(Experiment, what_was_cut_is_said_beside_what_the_runs_say) {
  constexpr Experiment settles = {
      .id = "X3", .name = "settles", .plan = [](const PlanOptions& options) {
        Plan plan(options);
        plan.steady(plan.cell("a", 3, 0, [](Rng&) -> Sample { return {0.02, 1, 1}; }), 0.1, 0);
        plan.steady(plan.cell("b", 3, 0, [](Rng&) -> Sample { return {0.3, 1, 1}; }), 0.2, 0);
        plan.steady(plan.cell("c", 3, 0, [](Rng&) -> Sample { return {0.5, 1.4, 0}; }), 0.2, 0);
        plan.judge([](const Results&, Report&) {});
        return plan;
      }};
  EXPECT_EQ(
      run(settles, {}).warm_up(),
      "first 10 to 20 % of the calls not measured; MSER-5 would cut 30 % at most (b, median of "
      "runs); b needs 30 %; c never settles: its last quarter is 1.40 times its third");
  EXPECT_EQ(run(kExperiment, {}).warm_up(), "") << "nothing steady, nothing cut";
}

TEST(ExperimentDeathTest, a_check_that_fails_in_a_run_says_how_to_have_it_again) {
  constexpr Experiment broken = {
      .id = "X2", .name = "broken", .plan = [](const PlanOptions& options) {
        Plan plan(options);
        plan.cell("a", 2, 0, [](Rng& rng) -> Sample {
          EV_CHECK(rng.uniform01() > 1, "an invariant");
          return {0};
        });
        return plan;
      }};
  EXPECT_DEATH(
      static_cast<void>(run(broken, {.jobs = 2, .note = "Again: evener lab run X2 --seed 1"})),
      "an invariant\nevener: Again: evener lab run X2 --seed 1\n");
}

TEST(Experiment, progress_ends_at_the_whole) {
  Progress last;
  static_cast<void>(run(kExperiment, {.jobs = 2, .progress = [&](const Progress& progress) {
                                        EXPECT_GE(progress.done, last.done);
                                        last = progress;
                                      }}));
  EXPECT_EQ(last.id, "X1");
  EXPECT_GT(last.total, 3);
  EXPECT_DOUBLE_EQ(last.done, last.total);
}

}  // namespace
}  // namespace evener::lab
