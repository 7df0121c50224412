#include "balance/state/warm_up.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <queue>
#include <vector>

#include "base/rng.h"

namespace evener {
namespace {

Time at(double seconds) { return Time() + Duration::from_seconds(seconds); }

WarmUp make(std::size_t slots, WarmUpSettings settings = {}) {
  EXPECT_TRUE(check_settings(settings));
  WarmUp warm_up(settings);
  warm_up.resize(slots);
  return warm_up;
}

void pass(WarmUp& warm_up, Time now) {
  warm_up.pass(now, 1'000'000, [](std::uint32_t, double) {});
}

// A pool whose slots below `warm` have been usable for long; slot `warm` is not yet.
WarmUp make_warm(std::size_t warm, WarmUpSettings settings = {}) {
  WarmUp warm_up = make(warm + 10, settings);
  for (std::uint32_t i = 0; i < warm; ++i) warm_up.enter(i, at(0));
  pass(warm_up, at(100));
  EXPECT_TRUE(warm_up.active().empty());
  return warm_up;
}

TEST(WarmUp, RefusesSettingsOutOfRange) {
  EXPECT_TRUE(check_settings(WarmUpSettings{}));
  EXPECT_FALSE(check_settings(WarmUpSettings{.window = Duration::seconds(-1)}));
  EXPECT_FALSE(check_settings(WarmUpSettings{.window = Duration::seconds(86'401)}));
  const auto refused = check_settings(WarmUpSettings{.floor = 0});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "warm-up setting \"floor\": expected 0.01 to 1, found 0");
  EXPECT_FALSE(check_settings(WarmUpSettings{.floor = 1.01}));
  EXPECT_FALSE(check_settings(WarmUpSettings{.floor = std::nan("")}));
  EXPECT_FALSE(check_settings(WarmUpSettings{.aggression = 0.5}));
  EXPECT_FALSE(check_settings(WarmUpSettings{.aggression = std::nan("")}));
}

TEST(WarmUp, accept_T32_RampIsMonotoneFromTheFloorToFullShare) {
  for (const double aggression : {1.0, 2.0, 16.0}) {
    WarmUp warm_up = make_warm(3, {.aggression = aggression});
    warm_up.enter(3, at(100));
    EXPECT_DOUBLE_EQ(warm_up.factor(3, at(100)), 0.10);
    EXPECT_DOUBLE_EQ(warm_up.factor(3, at(99)), 0.10) << "a clock going back";
    double last = 0.10;
    for (int ms = 1; ms < 30'000; ++ms) {
      const double factor = warm_up.factor(3, at(100 + ms / 1000.0));
      ASSERT_GT(factor, last) << ms;
      ASSERT_LE(factor, 1);
      last = factor;
    }
    EXPECT_DOUBLE_EQ(warm_up.factor(3, at(130)), 1);
    EXPECT_DOUBLE_EQ(warm_up.factor(3, at(1e8)), 1);
  }
  WarmUp line = make_warm(1);
  line.enter(1, at(100));
  EXPECT_NEAR(line.factor(1, at(115)), 0.55, 1e-9);
}

TEST(WarmUp, accept_T32_AllNewIsOff) {
  WarmUp warm_up = make(5);
  for (std::uint32_t i = 0; i < 5; ++i) warm_up.enter(i, at(0));
  for (int s = 0; s <= 40; ++s) {
    pass(warm_up, at(s));
    for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(warm_up.factor(i, at(s)), 1);
  }
  // An outage of everything is a start again.
  for (std::uint32_t i = 0; i < 5; ++i) warm_up.leave(i);
  for (std::uint32_t i = 0; i < 5; ++i) warm_up.enter(i, at(50));
  pass(warm_up, at(51));
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(warm_up.factor(i, at(51)), 1);
}

TEST(WarmUp, accept_T32_AStaggeredStartIsNearlyOff) {
  WarmUp warm_up = make(5);
  for (std::uint32_t i = 0; i < 5; ++i) warm_up.enter(i, at(0.1 * i));
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_GT(warm_up.factor(i, at(0.5)), 0.85);
}

TEST(WarmUp, AdvancesWithoutTrafficAndLeavesTheActiveListWhenDone) {
  WarmUp warm_up = make_warm(3);
  warm_up.enter(3, at(100));
  ASSERT_EQ(warm_up.active().size(), 1U);
  std::map<std::uint32_t, double> seen;
  const auto note = [&seen](std::uint32_t slot, double factor) { seen[slot] = factor; };
  warm_up.pass(at(115), 10, note);
  EXPECT_NEAR(seen.at(3), 0.55, 1e-9);
  warm_up.pass(at(131), 10, note);
  EXPECT_EQ(seen.at(3), 1);
  EXPECT_TRUE(warm_up.active().empty());
  EXPECT_EQ(seen.size(), 1U) << "a pass visits only those warming up";
}

TEST(WarmUp, RestartsWhenItBecomesUsableAgain) {
  WarmUp warm_up = make_warm(3);
  warm_up.leave(1);
  EXPECT_EQ(warm_up.factor(1, at(110)), 1);
  warm_up.enter(1, at(120));
  EXPECT_DOUBLE_EQ(warm_up.factor(1, at(120)), 0.10);
  warm_up.enter(1, at(135));  // already usable: goes on
  EXPECT_NEAR(warm_up.factor(1, at(135)), 0.55, 1e-9);
}

TEST(WarmUp, OffByWindowOrFloor) {
  for (const WarmUpSettings& off : {WarmUpSettings{.window = Duration()}, {.floor = 1}}) {
    WarmUp warm_up = make_warm(2, off);
    warm_up.enter(2, at(100));
    EXPECT_EQ(warm_up.factor(2, at(100)), 1);
    EXPECT_TRUE(warm_up.active().empty());
  }
}

TEST(WarmUp, APassVisitsAtMostSoManyAndGetsRound) {
  WarmUp warm_up = make(1000);
  for (std::uint32_t i = 0; i < 1000; ++i) warm_up.enter(i, at(0));
  std::vector<int> seen(1000, 0);
  for (int round = 0; round < 10; ++round) {
    int visits = 0;
    warm_up.pass(at(round), 100, [&](std::uint32_t slot, double) {
      ++visits;
      ++seen[slot];
    });
    EXPECT_EQ(visits, 100);
  }
  EXPECT_EQ(seen, std::vector<int>(1000, 1));
  for (int round = 0; round < 10; ++round) {
    warm_up.pass(at(60), 100, [](std::uint32_t, double factor) { EXPECT_EQ(factor, 1); });
  }
  EXPECT_TRUE(warm_up.active().empty());
}

// Whatever others do, a factor stays in [floor, 1] and never falls while its endpoint is usable.
TEST(WarmUp, accept_T32_NoCallSequenceLowersAFactor) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    WarmUp warm_up = make(8, {.aggression = 1 + rng.uniform01()});
    std::vector<double> last(8, 0);
    std::vector<Time> since(8, Time::never());
    double now = 0;
    for (int i = 0; i < 3000; ++i) {
      const auto slot = static_cast<std::uint32_t>(rng.below(8));
      const std::uint64_t what = rng.below(4);
      if (what == 0) {
        warm_up.leave(slot);
        last[slot] = 0;
        since[slot] = Time::never();
      } else if (what == 1) {
        warm_up.enter(slot, at(now));
        if (since[slot] == Time::never()) since[slot] = at(now);
      } else if (what == 2) {
        pass(warm_up, at(now));
      } else {
        now += rng.uniform01() * 6;
      }
      for (std::uint32_t s = 0; s < 8; ++s) {
        const double factor = warm_up.factor(s, at(now));
        ASSERT_LE(factor, 1);
        if (since[s] == Time::never()) continue;
        ASSERT_GE(factor, std::max(0.10, last[s]) - 1e-12) << "slot " << s;
        if (at(now) - since[s] >= Duration::seconds(30)) ASSERT_EQ(factor, 1);
        last[s] = factor;
      }
    }
  }
}

TEST(WarmUp, case_F08_ASecondJoinerDoesNotMoveTheFirst) {
  WarmUp one = make_warm(9);
  WarmUp two = make_warm(9);
  one.enter(9, at(100));
  two.enter(9, at(100));
  two.enter(10, at(115));
  for (int ms = 0; ms < 30'000; ms += 10) {
    const Time now = at(100 + ms / 1000.0);
    pass(one, now);
    pass(two, now);
    ASSERT_EQ(one.factor(9, now), two.factor(9, now));
  }
}

// Choice of two on (in flight + 1) / factor, as the balancer's cost; a newcomer ten times slower.
TEST(WarmUp, case_F08_ANewcomerNeverHoldsMoreThanTheMean) {
  constexpr std::uint32_t kServers = 11;
  Rng rng(8);
  WarmUp warm_up = make_warm(9);
  std::vector<int> in_flight(kServers, 0);
  std::priority_queue<std::pair<double, std::uint32_t>,
                      std::vector<std::pair<double, std::uint32_t>>, std::greater<>>
      ends;
  std::uint32_t usable = 9;
  int newcomer_picks = 0;
  double area_new = 0;
  double area_all = 0;
  for (int i = 0; i < 500 * 40; ++i) {
    const double now = 100 + i / 500.0;
    const double joined = 105;
    while (!ends.empty() && ends.top().first <= now) {
      --in_flight[ends.top().second];
      ends.pop();
    }
    if (usable == 9 && now >= joined) warm_up.enter(usable++, at(now));
    if (usable == 10 && now >= joined + 15) warm_up.enter(usable++, at(now));
    pass(warm_up, at(now));
    const auto a = static_cast<std::uint32_t>(rng.below(usable));
    const auto b = static_cast<std::uint32_t>((a + 1 + rng.below(usable - 1)) % usable);
    const double cost_a = (in_flight[a] + 1) / warm_up.factor(a, at(now));
    const double cost_b = (in_flight[b] + 1) / warm_up.factor(b, at(now));
    const std::uint32_t to = cost_a <= cost_b ? a : b;
    ++in_flight[to];
    newcomer_picks += to == 9 ? 1 : 0;
    const bool slow = to == 9 && now < joined + 30;
    ends.emplace(now - std::log(1 - rng.uniform01()) * (slow ? 2.0 : 0.2), to);
    if (usable > 9 && now < joined + 30) {
      area_new += in_flight[9];
      for (std::uint32_t s = 0; s < 9; ++s) area_all += in_flight[s] / 9.0;
    }
  }
  EXPECT_GT(newcomer_picks, 100) << "it must get something";
  EXPECT_LT(area_new, area_all);
}

}  // namespace
}  // namespace evener
