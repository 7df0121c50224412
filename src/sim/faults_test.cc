#include "sim/faults.h"

#include <gtest/gtest.h>

#include <vector>

#include "sim/fault_clock.h"

namespace evener::sim {
namespace {

class Watch final : public FaultClock::Sink {
 public:
  void condition_changed(std::uint32_t server, const Condition&) override {
    changed.push_back(server);
  }
  std::vector<std::uint32_t> changed;
};

Time at(double s) { return Time() + Duration::from_seconds(s); }

TEST(FaultClock, HoldsBetweenItsTimesAndOverlapsMultiply) {
  World world(1);
  Watch watch;
  FaultClock clock(
      world,
      {{.servers = {0, 1}, .at_s = 1, .until_s = 3, .value = 0.5},
       {.servers = {1}, .at_s = 2, .until_s = 4, .value = 0.5},
       {.kind = FaultKind::kErrors, .servers = {0}, .at_s = 1, .until_s = 2, .value = 0.5},
       {.kind = FaultKind::kErrors, .servers = {0}, .at_s = 1, .until_s = 2, .value = 0.5}},
      2, watch);
  EXPECT_EQ(clock.condition(1).slow, 1);
  world.run_until(at(1.5));
  EXPECT_EQ(clock.condition(0).slow, 0.5);
  EXPECT_EQ(clock.condition(0).errors, 0.75);
  world.run_until(at(2.5));
  EXPECT_EQ(clock.condition(1).slow, 0.25);
  EXPECT_EQ(clock.condition(0).errors, 0);
  world.run_until(at(10));
  EXPECT_EQ(clock.condition(0).slow, 1);
  EXPECT_EQ(clock.condition(1).slow, 1);
  EXPECT_EQ(world.pending(), 0U);
}

TEST(FaultClock, FlapsAtItsBeat) {
  World world(1);
  Watch watch;
  FaultClock clock(world,
                   {{.kind = FaultKind::kDead,
                     .servers = {0},
                     .at_s = 10,
                     .until_s = 14,
                     .gap_s = Distribution::constant(1),
                     .length_s = Distribution::constant(0.5)}},
                   1, watch);
  std::vector<bool> dead;
  for (double t = 9.75; t < 15; t += 0.5) {
    world.run_until(at(t));
    dead.push_back(clock.condition(0).dead);
  }
  // From 11 to 11.5, 12.5 to 13, and 14 would be the next.
  const std::vector<bool> expected = {false, false, false, true,  false, false,
                                      true,  false, false, false, false};
  EXPECT_EQ(dead, expected);
}

TEST(FaultClock, TogetherOrEachOnItsOwn) {
  for (const bool together : {true, false}) {
    World world(3);
    Watch watch;
    FaultClock clock(world,
                     {{.kind = FaultKind::kPause,
                       .servers = {0, 1},
                       .gap_s = Distribution::exponential(1),
                       .length_s = Distribution::exponential(1),
                       .together = together}},
                     2, watch);
    int same = 0;
    for (int i = 0; i < 1000; ++i) {
      world.run_until(at(i));
      same += clock.condition(0).paused == clock.condition(1).paused;
    }
    if (together) {
      EXPECT_EQ(same, 1000);
    } else {
      EXPECT_NEAR(same, 500, 100);
    }
  }
}

TEST(FaultClock, PartitionsCutOffTheNamedBalancers) {
  World world(1);
  Watch watch;
  FaultClock clock(world, {{.kind = FaultKind::kPartition, .servers = {1}, .balancers = {2}}}, 3,
                   watch);
  world.run_until(at(1));
  EXPECT_TRUE(clock.cut(1, 2));
  EXPECT_FALSE(clock.cut(1, 0));
  EXPECT_FALSE(clock.cut(0, 2));
}

TEST(Faults, BadOnesAreRefused) {
  const Distribution law = Distribution::constant(1);
  for (const Fault& bad :
       {Fault{}, Fault{.servers = {5}}, Fault{.servers = {0}, .at_s = 3, .until_s = 2},
        Fault{.servers = {0}, .value = 0}, Fault{.servers = {0}, .gap_s = law},
        Fault{.servers = {0}, .gap_s = Distribution(), .length_s = law},
        Fault{.kind = FaultKind::kErrors, .servers = {0}, .value = 1.5},
        Fault{.servers = {0}, .balancers = {0}},
        Fault{.kind = FaultKind::kPartition, .servers = {0}, .balancers = {9}}}) {
    const auto ok = check(bad, 5, 3);
    ASSERT_FALSE(ok.has_value());
    EXPECT_TRUE(ok.error().message.starts_with("fault ")) << ok.error().message;
  }
}

}  // namespace
}  // namespace evener::sim
