// Whole-proxy runs: calm ones lose nothing, two of a seed are the same, fixed seeds hold.
#include "lab/proxy/fleet.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

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
  EXPECT_GT(result.counts.requests, 1000u);
  EXPECT_EQ(result.counts.answered, result.counts.requests);
  EXPECT_EQ(result.counts.arrivals, result.counts.requests);
}

TEST(Fleet, two_runs_of_a_seed_are_identical_and_end_in_the_same_state_of_luck) {
  for (const std::uint64_t seed : {6u, 12u, 21u}) {
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

TEST(Fleet, fixed_seeds_hold_and_see_every_kind_of_end) {
  LedgerCounts sum;
  for (const std::uint64_t seed : {6u, 9u, 12u, 15u, 21u}) {
    const FleetResult result = run_fleet(draw_plan(seed));
    EXPECT_TRUE(result.violations.empty()) << all(result);
    sum.answered += result.counts.answered;
    sum.local += result.counts.local;
    sum.broken += result.counts.broken;
    sum.left += result.counts.left;
    sum.bytes += result.counts.bytes;
  }
  EXPECT_GT(sum.answered, 1000u);
  EXPECT_GT(sum.local, 10u);
  EXPECT_GT(sum.broken, 10u);
  EXPECT_GT(sum.left, 0u);
  EXPECT_GT(sum.bytes, 1'000'000u);
}

// Swarm testing: every kind comes up, and no seed has them all.
TEST(FleetPlan, every_kind_of_trouble_is_drawn_by_some_seeds_and_left_out_by_others) {
  constexpr std::uint64_t kSeeds = 400;
  std::array<std::uint64_t, kMischiefs> mischiefs{};
  std::array<std::uint64_t, kManners> manners{};
  std::array<std::uint64_t, kFaultKinds> faults{};
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const FleetPlan plan = draw_plan(seed);
    for (const Mischief m : plan.mischiefs) ++mischiefs[static_cast<std::size_t>(m)];
    for (const Manner m : plan.manners) ++manners[static_cast<std::size_t>(m)];
    std::array<bool, kFaultKinds> seen{};
    for (const Fault& fault : plan.faults) {
      seen[static_cast<std::size_t>(fault.kind)] = true;
      EXPECT_LT(fault.at, fault.until);
      EXPECT_LE(fault.until, Time() + plan.faulty);
    }
    for (std::size_t i = 0; i < kFaultKinds; ++i) faults[i] += seen[i] ? 1 : 0;
  }
  const auto some = [](std::uint64_t n) { return n > kSeeds / 20 && n < kSeeds * 3 / 4; };
  for (std::size_t i = 1; i < kMischiefs; ++i) {
    EXPECT_TRUE(some(mischiefs[i])) << to_string(static_cast<Mischief>(i)) << ' ' << mischiefs[i];
  }
  for (std::size_t i = 1; i < kManners; ++i) {
    EXPECT_TRUE(some(manners[i])) << to_string(static_cast<Manner>(i)) << ' ' << manners[i];
  }
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    EXPECT_TRUE(some(faults[i])) << to_string(static_cast<FaultKind>(i)) << ' ' << faults[i];
  }
}

// The ledger is the judge: it must be able to condemn.
class LedgerTest : public ::testing::Test {
 protected:
  std::string only() {
    ledger_.close();
    return ledger_.violations().size() == 1 ? ledger_.violations().front()
                                            : fmt::format("{}", ledger_.violations().size());
  }
  // A GET that has arrived once and was answered with `bytes` bytes.
  std::uint64_t answered(std::uint64_t bytes, bool whole) {
    const std::uint64_t id = ledger_.open("GET", true, true, 0);
    ledger_.arrived(id, "GET");
    ledger_.declare(id, 0, 200, bytes);
    if (whole) ledger_.sent_whole(id, 0);
    return id;
  }
  sim::World world_{1};
  Ledger ledger_{world_};
};

TEST_F(LedgerTest, a_right_answer_breaks_no_rule) {
  const std::uint64_t id = answered(100, true);
  ledger_.answered(id, 200, "0", "0", pattern(answer_key(id, 0), 100), true);
  EXPECT_EQ(only(), "0");
}

TEST_F(LedgerTest, a_wrong_byte_is_seen) {
  const std::uint64_t id = answered(100, true);
  std::string body = pattern(answer_key(id, 0), 100);
  body[99] ^= 1;
  ledger_.answered(id, 200, "0", "0", body, true);
  EXPECT_NE(only().find("bytes that are not its own"), std::string::npos);
}

TEST_F(LedgerTest, a_missing_byte_is_seen) {
  const std::uint64_t id = answered(100, true);
  ledger_.answered(id, 200, "0", "0", pattern(answer_key(id, 0), 99), true);
  EXPECT_NE(only().find("sent 100 bytes, 99 came"), std::string::npos);
}

TEST_F(LedgerTest, anothers_answer_is_seen) {
  answered(100, true);
  const std::uint64_t id = answered(100, true);
  ledger_.left(0);
  ledger_.answered(id, 200, "0", "0", pattern(answer_key(0, 0), 100), true);
  EXPECT_NE(only().find("got the answer to r0"), std::string::npos);
}

TEST_F(LedgerTest, a_cut_answer_that_passes_for_whole_is_seen) {
  const std::uint64_t id = answered(100, false);
  ledger_.answered(id, 200, "0", "0", pattern(answer_key(id, 0), 50), true);
  EXPECT_NE(only().find("did not finish came as whole"), std::string::npos);
}

TEST_F(LedgerTest, a_request_without_an_end_and_one_with_two_are_seen) {
  ledger_.open("GET", true, true, 0);
  EXPECT_NE(only().find("neither a response nor an end"), std::string::npos);
  Ledger second(world_);
  const std::uint64_t id = second.open("GET", true, true, 0);
  second.left(id);
  second.broken(id, "reset");
  ASSERT_EQ(second.violations().size(), 1u);
  EXPECT_NE(second.violations().front().find("a second ending"), std::string::npos);
}

TEST_F(LedgerTest, a_post_that_arrives_twice_and_a_failure_after_the_healing_are_seen) {
  const std::uint64_t post = ledger_.open("POST", false, true, 0);
  ledger_.arrived(post, "POST");
  ledger_.arrived(post, "POST");
  ledger_.left(post);
  EXPECT_NE(only().find("was sent to endpoints 2 times"), std::string::npos);
  Ledger second(world_);
  second.demand_success();
  second.local(second.open("GET", true, true, 0), 502, "endpoint_reset");
  ASSERT_EQ(second.violations().size(), 1u);
  EXPECT_NE(second.violations().front().find("after all faults had healed"), std::string::npos);
}

}  // namespace
}  // namespace evener::lab::fleet
