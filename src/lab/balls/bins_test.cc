#include "lab/balls/bins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "lab/balls/real.h"

namespace evener::lab::balls {
namespace {

std::vector<std::uint32_t> placed(std::size_t n, std::uint64_t balls, const Rule& rule,
                                  std::uint64_t seed = 1) {
  std::vector<std::uint32_t> bins(n);
  Rng rng(seed);
  place<std::uint32_t>(bins, balls, rule, rng);
  return bins;
}

constexpr Rule kRules[] = {
    {.choices = 1},
    {},
    {.replacement = true},
    {.choices = 3},
    {.choices = 3, .replacement = true},
    {.ties = Ties::kFirst},
    {.go_left = true},
    {.choices = 4, .go_left = true},
    {.choices = 1, .memory = true},
    {.choices = 2, .memory = true},
    {.beta = 0.5},
    {.replacement = true, .beta = 0.5},
};

TEST(Bins, every_ball_lies_in_one_bin) {
  for (const Rule& rule : kRules) {
    for (const std::uint64_t balls : std::initializer_list<std::uint64_t>{0, 1, 7, 1001}) {
      const auto bins = placed(11, balls, rule);
      EXPECT_EQ(std::accumulate(bins.begin(), bins.end(), std::uint64_t{0}), balls);
    }
  }
}

TEST(Bins, octets_and_words_place_alike) {
  for (const Rule& rule : kRules) {
    std::vector<std::uint8_t> small(500);
    Rng rng(3);
    place<std::uint8_t>(small, 500, rule, rng);
    const auto wide = placed(500, 500, rule, 3);
    EXPECT_TRUE(std::equal(wide.begin(), wide.end(), small.begin(), small.end()));
  }
}

// Every bin is as likely as another, the last one included, except where ties lean on purpose.
TEST(Bins, no_bin_is_preferred) {
  for (const Rule& rule : kRules) {
    if (rule.go_left || rule.ties == Ties::kFirst) continue;
    constexpr std::uint64_t kRounds = 60'000;
    std::vector<std::uint64_t> hits(5);
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const auto bins = placed(5, 2, rule, round);
      for (std::size_t i = 0; i < bins.size(); ++i) hits[i] += bins[i];
    }
    // 120,000 balls: standard deviation 139 around 24,000.
    for (const std::uint64_t count : hits) EXPECT_NEAR(static_cast<double>(count), 24'000, 700);
  }
}

TEST(Bins, distinct_draws_fill_what_is_least_of_three) {
  // Two distinct of three always see one of the two emptiest: the fullest never gets ahead by two.
  const auto bins = placed(3, 3'000, {});
  EXPECT_LE(std::ranges::max(bins) - std::ranges::min(bins), 3u);
}

TEST(Bins, leaning_rules_lean) {
  // Of two equal bins the lower index wins: the lower half holds more.
  const auto first = placed(1'000, 1'000, {.ties = Ties::kFirst});
  const auto left = placed(1'000, 1'000, {.go_left = true});
  for (const auto& bins : {first, left}) {
    EXPECT_GT(std::accumulate(bins.begin(), bins.begin() + 500, 0U), 540u);
  }
}

TEST(Bins, beta_goes_from_one_choice_to_two) {
  const auto gap = [](double beta) {
    return std::ranges::max(placed(1'000, 100'000, {.beta = beta}));
  };
  EXPECT_GT(gap(0), 120u);
  EXPECT_LT(gap(0.5), 112u);
  EXPECT_LT(std::ranges::max(placed(1'000, 100'000, {})), 105u);
}

TEST(Bins, a_batch_of_one_is_no_batch) {
  std::vector<std::uint32_t> bins(100);
  Rng rng(1);
  place_in_batches(bins, 1'000, 1, {}, rng);
  EXPECT_EQ(bins, placed(100, 1'000, {}));
}

TEST(Bins, the_balancer_places_every_ball_too) {
  const auto set = equal_endpoints(10);
  Rng rng(1);
  const auto loads = place_real(set, {.name = "p2c"}, 105, rng);
  EXPECT_EQ(std::accumulate(loads.begin(), loads.end(), 0U), 105u);
  EXPECT_LE(std::ranges::max(loads), 13u);
}

}  // namespace
}  // namespace evener::lab::balls
