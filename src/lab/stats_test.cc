#include "lab/stats.h"

#include <evener/rng.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace evener::lab {
namespace {

TEST(Stats, mean_variance_and_t_interval_of_a_known_case) {
  const std::vector<double> runs = {1, 2, 3, 4, 5};
  EXPECT_DOUBLE_EQ(mean(runs), 3);
  EXPECT_DOUBLE_EQ(variance(runs), 2.5);
  // t(4, .975) = 2.776445, from printed tables.
  EXPECT_NEAR(student_t95(4), 2.776445, 1e-6);
  const Estimate estimate = mean_of_runs(runs);
  EXPECT_NEAR(estimate.half_width, 2.776445 * std::sqrt(2.5 / 5), 1e-5);
  EXPECT_EQ(estimate.runs, 5u);
}

TEST(Stats, one_run_says_nothing_of_its_spread) {
  EXPECT_TRUE(std::isinf(mean_of_runs(std::vector<double>{7}).half_width));
  EXPECT_EQ(mean_of_runs(std::vector<double>{7, 7}).half_width, 0);
}

// 95 % means 95 %: of 2,000 intervals over ten uniform values each, between 93 and 97 % cover.
TEST(Stats, intervals_cover_as_often_as_they_say) {
  Rng rng(11);
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values(10);
    for (double& value : values) value = rng.uniform01();
    const Estimate estimate = mean_of_runs(values);
    covered += std::abs(estimate.value - 0.5) <= estimate.half_width ? 1 : 0;
  }
  EXPECT_GT(covered, kTrials * 93 / 100);
  EXPECT_LT(covered, kTrials * 97 / 100);
}

// An autoregressive run of long memory: the naive interval covers less than half of the time, batch
// means nearly always.
TEST(Stats, batch_means_see_correlation_that_single_values_hide) {
  Rng rng(5);
  int naive = 0;
  int batched = 0;
  constexpr int kTrials = 200;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values(20'000);
    double state = 0;
    for (double& value : values) value = state = 0.95 * state + rng.uniform01() - 0.5;
    const Estimate single = mean_of_runs(values);
    const Estimate batch = batch_means(values, 20);
    naive += std::abs(single.value) <= single.half_width ? 1 : 0;
    batched += std::abs(batch.value) <= batch.half_width ? 1 : 0;
  }
  EXPECT_LT(naive, kTrials / 2);
  EXPECT_GT(batched, kTrials * 88 / 100);
}

TEST(Stats, shares_have_a_width_even_at_the_ends) {
  const Estimate all = share_of_runs(200, 200);
  EXPECT_EQ(all.value, 1);
  EXPECT_GT(all.half_width, 0.01);
  EXPECT_LT(all.half_width, 0.03);
  EXPECT_NEAR(share_of_runs(5000, 10000).half_width, 1.96 * 0.005, 1e-4);
}

TEST(Stats, quantiles_are_linear_between_values) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 1), 4);
  std::vector<double> values(10'001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) / 10'000;
  const Estimate p90 = quantile_of(values, 0.9);
  EXPECT_NEAR(p90.value, 0.9, 1e-9);
  EXPECT_NEAR(p90.half_width, 1.96 * std::sqrt(0.09 / 10'001), 2e-4);
}

TEST(Stats, warm_up_is_cut_where_the_level_is_reached) {
  Rng rng(3);
  std::vector<double> values(5'000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = rng.uniform01() + (i < 500 ? 10 * (1 - static_cast<double>(i) / 500) : 0);
  }
  const std::size_t cut = warm_up_length(values);
  EXPECT_GT(cut, 400u);
  EXPECT_LT(cut, 700u);
  // Flat from the beginning: hardly anything goes.
  for (double& value : values) value = rng.uniform01();
  EXPECT_LT(warm_up_length(values), 1'000u);
}

// A course that starts empty and settles, one that does not, and one that is steady from the start.
TEST(Stats, settling_tells_a_warm_up_from_a_run_that_grows) {
  std::vector<double> rises;
  std::vector<double> grows;
  std::vector<double> level;
  Rng rng(5);
  for (int i = 0; i < 1'000; ++i) {
    const double noise = 0.2 * (rng.uniform01() - 0.5);
    rises.push_back(1 - std::exp(-i / 40.0) + noise);
    grows.push_back(i / 100.0 + noise);
    level.push_back(1 + noise);
  }
  EXPECT_TRUE(settling(rises).settled);
  EXPECT_GT(settling(rises).share, 0.05);
  EXPECT_LT(settling(rises).share, 0.3);
  EXPECT_FALSE(settling(grows).settled);
  EXPECT_NEAR(settling(grows).growth, 7.0 / 5, 0.02);
  EXPECT_TRUE(settling(level).settled);
  EXPECT_LT(settling(level).share, 0.1);
  EXPECT_TRUE(settling(std::vector<double>(10, 1.0)).settled) << "too few to tell";
}

}  // namespace
}  // namespace evener::lab
