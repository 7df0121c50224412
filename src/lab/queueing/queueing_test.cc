#include <gtest/gtest.h>

#include <cmath>

#include "lab/queueing/cells.h"
#include "lab/queueing/experiments.h"
#include "lab/queueing/rules.h"

namespace evener::lab::queueing {
namespace {

// Runs a plan of one cell and returns its results.
Results results_of(const sim::FleetOptions& options, std::size_t runs, std::uint64_t seed = 1,
                   const ChooserMaker& make = nullptr) {
  Plan plan({});
  add(plan, "cell", runs, options, make);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < runs; ++i) {
    Rng rng = replication_rng(seed, "test", "cell", i);
    samples.push_back(plan.cells()[0].run(rng));
  }
  return Results({samples});
}

constexpr CellId kCell{0};

TEST(Controlled, a_straight_line_leaves_no_noise) {
  std::vector<Sample> samples;
  for (int i = 0; i < 8; ++i) {
    Sample sample(kFigures);
    sample[kExcess] = 0.01 * i - 0.02;
    sample[kMean] = 3 + 7 * sample[kExcess];
    samples.push_back(sample);
  }
  const Estimate e = controlled(Results({samples}), kCell);
  EXPECT_NEAR(e.value, 3, 1e-12);
  EXPECT_NEAR(e.half_width, 0, 1e-9);
  EXPECT_EQ(e.runs, 8U);
}

TEST(Controlled, few_runs_are_plain_means) {
  std::vector<Sample> samples(3, Sample(kFigures));
  for (std::size_t i = 0; i < 3; ++i) {
    samples[i][kMean] = static_cast<double>(i);
    samples[i][kExcess] = 1;
  }
  EXPECT_EQ(controlled(Results({samples}), kCell).value, 1);
}

// M/M/1 at half load: the true mean is 2. Of many small experiments the interval of nearly all must
// hold it, and be narrower than without the control.
TEST(Controlled, covers_the_truth_with_a_narrower_interval) {
  int covered = 0;
  double narrower = 0;
  constexpr int kTrials = 60;
  const sim::FleetOptions options = fleet(20, 0.5, 4'000, policy("random"));
  for (std::uint64_t seed = 1; seed <= kTrials; ++seed) {
    const Results results = results_of(options, 10, seed);
    const Estimate with = controlled(results, kCell);
    const Estimate without = results.mean(kCell, kMean);
    covered += std::abs(with.value - 2) <= with.half_width;
    narrower += with.half_width / without.half_width / kTrials;
  }
  EXPECT_GE(covered, 50) << "57 expected; fewer than 50 happens less than once in a thousand";
  EXPECT_LT(narrower, 0.8);
}

// What E04 asks of distinct draws, draws with replacement fail.
TEST(Rows, a_planted_fault_is_noticed) {
  const auto mean = [](bool replacement) {
    return controlled(results_of(fleet(100, 0.7, 400'000, policy("p2c", 5, replacement)), 8), kCell)
        .value;
  };
  // Four standard errors below, and as many above.
  EXPECT_NEAR(mean(false), 1.1760, 0.0038);
  EXPECT_GT(mean(true), 1.1760 + 0.0038);
}

TEST(Rules, random_board_is_m_m_1) {
  sim::FleetOptions options = fleet(50, 0.5, 200'000, board_rule({.choices = 1}));
  options.tick_every = Duration::milliseconds(10);
  EXPECT_NEAR(controlled(results_of(options, 6), kCell).value, 2, 0.03);
}

TEST(Rules, join_idle_with_one_balancer_finds_every_idle_server) {
  const sim::FleetOptions options = fleet(100, 0.5, 100'000, nullptr);
  EXPECT_NEAR(controlled(results_of(options, 6, 1, join_idle_rule), kCell).value, 1, 0.01);
}

}  // namespace
}  // namespace evener::lab::queueing
