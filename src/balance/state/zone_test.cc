#include <evener/zone.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <queue>
#include <vector>

namespace evener {
namespace {

constexpr ZoneSettings kDefault;

ZoneLoad zone(std::uint32_t endpoints, double in_flight, double weight_each = 1) {
  return {endpoints, endpoints * weight_each, in_flight};
}

std::vector<ZoneLoad> random_zones(Rng& rng) {
  std::vector<ZoneLoad> zones(1 + rng.below(5));
  for (ZoneLoad& each : zones) {
    const auto n = static_cast<std::uint32_t>(rng.below(6) == 0 ? 0 : 1 + rng.below(40));
    each = zone(n, rng.uniform01() * 200 * n, 0.1 + 5 * rng.uniform01());
  }
  return zones;
}

// The header's load of zone i.
double load_of(const std::vector<ZoneLoad>& zones, std::size_t i) {
  double weight = 0;
  double endpoints = 0;
  for (const ZoneLoad& each : zones) {
    weight += each.weight;
    endpoints += each.endpoints;
  }
  return (zones[i].in_flight + 1) / (zones[i].weight / (weight / endpoints));
}

TEST(ZoneSpill, RefusesSettingsOutOfRange) {
  EXPECT_TRUE(check_settings(kDefault));
  EXPECT_FALSE(check_settings(ZoneSettings{.busy = 0}));
  EXPECT_FALSE(check_settings(ZoneSettings{.busy = std::nan("")}));
  EXPECT_FALSE(check_settings(ZoneSettings{.bias = 0.9}));
}

TEST(ZoneSpill, StaysWhileLocalHasCapacityHoweverIdleTheOthers) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Rng rng(seed);
    std::vector<ZoneLoad> zones = random_zones(rng);
    if (zones[0].endpoints == 0) continue;
    const double busy = load_of(zones, 0) + 1e-9;
    for (std::size_t i = 1; i < zones.size(); ++i) zones[i].in_flight = 0;
    ASSERT_EQ(spill_probability(zones, 0, {.busy = busy}), 0) << "seed " << seed;
    ASSERT_EQ(choose_zone(zones, 0, {.busy = busy}, rng), 0U);
  }
}

TEST(ZoneSpill, TwoZonesEquallyOverloadedKeepTheirOwn) {
  const std::array<ZoneLoad, 2> zones = {zone(10, 3000), zone(10, 3000)};
  EXPECT_EQ(spill_probability(zones, 0, kDefault), 0);
  const std::array<ZoneLoad, 2> nearly = {zone(10, 3000), zone(10, 2500)};
  EXPECT_EQ(spill_probability(nearly, 0, kDefault), 0) << "not worth the way";
  const std::array<ZoneLoad, 2> uneven = {zone(10, 3000), zone(10, 500)};
  EXPECT_EQ(spill_probability(uneven, 0, kDefault), 1);
  EXPECT_EQ(spill_probability(uneven, 1, kDefault), 0);
}

TEST(ZoneSpill, AllGoesAwayWithoutLocalEndpointsAndNoneWithoutOthers) {
  Rng rng(1);
  const std::array<ZoneLoad, 3> gone = {zone(0, 0), zone(4, 9000), zone(0, 0)};
  const std::array<ZoneLoad, 3> alone = {zone(0, 0), zone(4, 9000), zone(0, 0)};
  const std::array<ZoneLoad, 2> none = {zone(0, 0), zone(0, 0)};
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(choose_zone(gone, 0, kDefault, rng), 1U);
    ASSERT_EQ(choose_zone(alone, 1, kDefault, rng), 1U);
    ASSERT_EQ(choose_zone(none, 0, kDefault, rng), kNoZone);
    ASSERT_EQ(choose_zone(alone, kNoZone, kDefault, rng), 1U);
    ASSERT_EQ(choose_zone({}, kNoZone, kDefault, rng), kNoZone);
  }
}

// A step of 1 % of one count or weight moves the probability by a few per cent at most.
TEST(ZoneSpill, ChangesWithoutAJumpAndRisesWithLocalLoad) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    std::vector<ZoneLoad> zones = random_zones(rng);
    if (zones[0].endpoints == 0) continue;
    double last = -1;
    zones[0].in_flight = 1;
    for (; zones[0].in_flight < 1e6; zones[0].in_flight *= 1.01) {
      const double spill = spill_probability(zones, 0, kDefault);
      ASSERT_GE(spill, 0);
      ASSERT_LE(spill, 1);
      if (last >= 0) {
        ASSERT_GE(spill, last);
        ASSERT_LE(spill - last, 0.03);
      }
      last = spill;
    }
    // The local zone fades: no jump, and in the end everything leaves.
    zones[0].in_flight = 0;
    const bool others = spill_probability(zones, kNoZone, kDefault) == 1 &&
                        choose_zone(std::span(zones).subspan(1), kNoZone, kDefault, rng) != kNoZone;
    last = spill_probability(zones, 0, kDefault);
    for (; zones[0].weight > 1e-9; zones[0].weight *= 0.99) {
      const double spill = spill_probability(zones, 0, kDefault);
      ASSERT_NEAR(spill, last, 0.05);
      last = spill;
    }
    ASSERT_EQ(last, others ? 1 : 0);
  }
}

TEST(ZoneSpill, OthersGetTheirShareByCapacityAndLoad) {
  Rng rng(4);
  const std::array<ZoneLoad, 4> zones = {zone(0, 0), zone(10, 9), zone(20, 19), zone(10, 29)};
  // capacity / (1 + load): 10 / 2, 20 / 2, 10 / 4.
  std::array<int, 4> hits{};
  for (int i = 0; i < 70'000; ++i) ++hits[choose_zone(zones, 0, kDefault, rng)];
  EXPECT_EQ(hits[0], 0);
  EXPECT_NEAR(hits[1], 20'000, 600);
  EXPECT_NEAR(hits[2], 40'000, 600);
  EXPECT_NEAR(hits[3], 10'000, 500);
}

// Four endpoints here, eight there, each serving 100 requests of 0.2 s at a time in order.
double share_away(double rps) {
  Rng rng(9);
  std::array<ZoneLoad, 2> zones = {zone(4, 0), zone(8, 0)};
  std::array<double, 2> free_at{};
  using End = std::pair<double, std::size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  double away = 0;
  double all = 0;
  for (double now = 0; now < 30; now += 1 / rps) {
    for (; !ends.empty() && ends.top().first <= now; ends.pop()) {
      zones[ends.top().second].in_flight -= 1;
    }
    const std::size_t to = choose_zone(zones, 0, kDefault, rng);
    zones[to].in_flight += 1;
    free_at[to] = std::max(free_at[to], now) + 0.2 / 100 / zones[to].endpoints;
    ends.emplace(free_at[to] + 0.2, to);
    if (now < 10) continue;
    away += static_cast<double>(to);
    all += 1;
    EXPECT_LE(zones[0].in_flight, 4 * 300) << "the local zone is not drowned";
  }
  return away / all;
}

TEST(ZoneSpill, TrafficLeavesOnlyForWhatTheLocalZoneCannotServe) {
  EXPECT_EQ(share_away(500), 0) << "25 in flight per endpoint";
  EXPECT_EQ(share_away(900), 0) << "45";
  const double some = share_away(1500);
  EXPECT_GT(some, 0.05);
  EXPECT_LT(some, 1 - 1000.0 / 1500) << "never so much that the local zone is not busy";
  EXPECT_GT(share_away(5000), 0.55) << "2000 of 5000 is all the local zone can serve";
}

}  // namespace
}  // namespace evener
