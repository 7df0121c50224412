// Whole-proxy runs: calm ones lose nothing, two of a seed are the same, fixed seeds hold.
#include "lab/proxy/fleet.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace evener::lab::fleet {
namespace {

std::string all(const FleetResult& result) {
  std::string text = fmt::format("evener lab proxy --seed {}\n", result.seed);
  for (const std::string& violation : result.violations) text += violation + "\n";
  return text;
}

TEST(Fleet, a_calm_run_answers_every_request) {
  FleetPlan plan = calm_plan(1);
  plan.faulty = plan.settle = Duration::seconds(2);
  const FleetResult result = run_fleet(plan);
  EXPECT_TRUE(result.violations.empty()) << all(result);
  EXPECT_GT(result.counts.requests, 1500u);
  EXPECT_EQ(result.counts.answered, result.counts.requests);
  EXPECT_EQ(result.counts.arrivals, result.counts.requests);
}

TEST(Fleet, two_runs_of_a_seed_are_identical_and_end_in_the_same_state_of_luck) {
  for (const std::uint64_t seed : {3u, 4u, 5u}) {
    std::string traces[2];
    FleetResult results[2];
    for (int i = 0; i < 2; ++i) {
      results[i] = run_fleet(draw_plan(seed), [&](std::string_view line) {
        traces[i] += line;
        traces[i] += '\n';
      });
    }
    EXPECT_EQ(traces[0], traces[1]) << seed;
    EXPECT_EQ(results[0].digest, results[1].digest);
    EXPECT_EQ(results[0].final_draw, results[1].final_draw);
    EXPECT_GT(traces[0].size(), 10'000u);
  }
}

}  // namespace
}  // namespace evener::lab::fleet
