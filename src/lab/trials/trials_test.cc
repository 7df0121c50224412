#include "lab/trials/trials.h"

#include <gtest/gtest.h>

#include "lab/scenario/scores.h"

namespace evener::lab {
namespace {

Contest contest(const std::string& rest, std::string_view policies) {
  Contest out;
  const std::string yaml = "name: x\nwork: exp(mean=0.01)\n" + rest;
  out.scenarios = {parse_scenario(yaml, "x.yaml").value()};
  out.sources = {yaml};
  out.files = {"x.yaml"};
  out.contenders = parse_contenders(policies).value();
  return out;
}

std::vector<double> p99(const Contest& contest) {
  std::vector<double> out;
  const Scoreboard board = score(contest, run_contest(contest, {.jobs = 2}));
  for (const Score& one : board.situations[0].scores) out.push_back(one.quantiles[kP99].value);
  return out;
}

constexpr std::string_view kAll =
    "trial_fewest_then_two,trial_no_success,trial_same,trial_samples_10,trial_samples_30,"
    "trial_samples_100,trial_samples_100_no_age,trial_samples_100_whole_ms,random";

TEST(Trials, AllWorkAndBeatRandom) {
  EXPECT_EQ(trials().size(), 8U);
  const auto found =
      p99(contest("servers: [{ count: 8 }]\nbalancers: 2\narrivals: { load: 0.7 }\n"
                  "run: { for: 30s, warmup: 3s, runs: 2 }\n",
                  kAll));
  for (std::size_t i = 0; i + 1 < found.size(); ++i) EXPECT_LT(found[i], found.back()) << i;
}

// The control does what the default does, but for ties and luck.
TEST(Trials, TheControlIsTheDefault) {
  const auto found =
      p99(contest("servers: [{ count: 8 }, { count: 8, speed: 0.3 }]\n"
                  "arrivals: { load: 0.7 }\nrun: { for: 60s, warmup: 5s }\n",
                  "evener,trial_same"));
  EXPECT_NEAR(found[1] / found[0], 1, 0.08);
}

TEST(Trials, WithoutTheSuccessFactorFailuresAttract) {
  const auto found =
      p99(contest("servers: [{ count: 8 }]\narrivals: { load: 0.5 }\nerror_time: 1s\n"
                  "faults: [{ fault: fast_fail, servers: 0, at: 5s, until: 25s }]\n"
                  "run: { for: 30s, warmup: 3s, runs: 2 }\n",
                  "trial_same,trial_no_success"));
  EXPECT_GT(found[1], 2 * found[0]);
}

}  // namespace
}  // namespace evener::lab
