#include "balance/state/pushback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/rng.h"

namespace evener {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Time at(double seconds) { return Time() + Duration::from_seconds(seconds); }
constexpr Duration kSecond = Duration::seconds(1);

Pushback make(std::uint32_t n, const PushbackSettings& settings = {}) {
  EXPECT_TRUE(check_settings(settings));
  Pushback pushback(settings);
  pushback.resize(n);
  for (std::uint32_t slot = 0; slot < n; ++slot) pushback.join(slot);
  return pushback;
}

TEST(DueHeap, AgreesWithASortedMap) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    DueHeap heap;
    heap.resize(40);
    std::map<std::uint32_t, Time> model;
    for (int i = 0; i < 3000; ++i) {
      const auto slot = static_cast<std::uint32_t>(rng.below(40));
      if (rng.below(3) != 0) {
        const Time due = Time::from_ns(static_cast<std::int64_t>(rng.below(100)));
        heap.set(slot, due);
        model[slot] = due;
      } else {
        ASSERT_EQ(heap.remove(slot), model.erase(slot) == 1);
      }
      ASSERT_EQ(heap.size(), model.size());
      if (model.empty()) continue;
      const auto least =
          std::ranges::min_element(model, {}, [](const auto& m) { return m.second; });
      ASSERT_EQ(heap.first_due(), least->second);
      ASSERT_EQ(heap.due(heap.first()), least->second);
    }
    Time last = Time::from_ns(-1);
    while (!heap.empty()) {
      ASSERT_GE(heap.first_due(), last);
      last = heap.first_due();
      heap.remove(heap.first());
    }
  }
}

TEST(Pushback, RefusesSettingsOutOfRange) {
  EXPECT_FALSE(check_settings(PushbackSettings{.longest = Duration::seconds(-1)}));
  EXPECT_FALSE(check_settings(PushbackSettings{.refused = Duration::seconds(3601)}));
  EXPECT_FALSE(check_settings(PushbackSettings{.max_share = std::nan("")}));
}

TEST(Pushback, accept_T24_RetryAfterIsHonouredAndCapped) {
  Pushback pushback = make(4);
  EXPECT_TRUE(pushback.ask(1, kSecond * 12, at(0)));
  EXPECT_TRUE(pushback.ask(2, kSecond * 86'400, at(0)));
  EXPECT_TRUE(pushback.ask(3, Duration::max(), at(0)));
  EXPECT_EQ(pushback.reason(1, at(0)), "asked to be left alone for another 12 s");
  EXPECT_THAT(pushback.pass(at(11.9)), IsEmpty());
  EXPECT_TRUE(pushback.out(1));
  EXPECT_THAT(pushback.pass(at(12)), ElementsAre(1));
  EXPECT_FALSE(pushback.out(1));
  EXPECT_EQ(pushback.reason(1, at(12)), "");
  EXPECT_THAT(pushback.pass(at(59.9)), IsEmpty());
  EXPECT_THAT(pushback.pass(at(60)), testing::UnorderedElementsAre(2, 3));
}

TEST(Pushback, accept_T24_TheLongerOfTwoCountsAndNothingAsksForNothing) {
  Pushback pushback = make(4);
  EXPECT_FALSE(pushback.ask(0, Duration(), at(0)));
  EXPECT_FALSE(pushback.ask(0, kSecond * -5, at(0)));
  pushback.ask(0, kSecond * 10, at(0));
  EXPECT_TRUE(pushback.ask(0, kSecond * 2, at(1)));
  EXPECT_TRUE(pushback.refused(0, at(1)));
  EXPECT_THAT(pushback.pass(at(9.9)), IsEmpty());
  pushback.ask(0, kSecond * 10, at(9.9));
  EXPECT_THAT(pushback.pass(at(10)), IsEmpty());
  EXPECT_THAT(pushback.pass(at(19.9)), ElementsAre(0));
}

TEST(Pushback, case_F19_ARefusedConnectTakesOutForAShortWhile) {
  Pushback pushback = make(10);
  for (std::uint32_t slot = 0; slot < 5; ++slot) EXPECT_TRUE(pushback.refused(slot, at(0)));
  EXPECT_EQ(pushback.out_count(), 5U);
  EXPECT_EQ(pushback.reason(4, at(0.2)), "refused a connection; left alone for another 800 ms");
  EXPECT_EQ(pushback.pass(at(1)).size(), 5U);
  EXPECT_EQ(pushback.out_count(), 0U);
}

// Ten endpoints, five of which have closed; 200 rps, up to three tries on different endpoints.
TEST(Pushback, case_F19_NoRequestFailsOnceTheDeadAreKnown) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    Pushback pushback = make(10);
    int early = 0;
    int late = 0;
    for (int i = 0; i < 400; ++i) {
      const Time now = at(i / 200.0);
      pushback.pass(now);
      std::set<std::uint32_t> tried;
      bool done = false;
      for (int attempt = 0; attempt < 3 && !done; ++attempt) {
        std::vector<std::uint32_t> eligible;
        for (std::uint32_t slot = 0; slot < 10; ++slot) {
          if (!pushback.out(slot) && !tried.contains(slot)) eligible.push_back(slot);
        }
        const std::uint32_t slot = eligible[rng.below(eligible.size())];
        tried.insert(slot);
        done = slot >= 5;
        if (!done) pushback.refused(slot, now);
      }
      (i < 20 ? early : late) += done ? 0 : 1;
    }
    EXPECT_LE(early, 5);
    // Once a second the dead may be asked again, one after the other.
    EXPECT_LE(late, 1);
  }
}

TEST(Pushback, NeverAllAndNeverOverTheShare) {
  for (std::uint32_t n = 1; n <= 20; ++n) {
    for (const double share : {0.0, 0.5, 0.8, 1.0}) {
      Pushback pushback = make(n, {.max_share = share});
      for (std::uint32_t slot = 0; slot < n; ++slot) {
        pushback.refused(slot, at(0));
        pushback.ask(slot, kSecond * 30, at(0));
      }
      const auto most = static_cast<std::size_t>(std::floor(share * n + 1e-9));
      EXPECT_EQ(pushback.out_count(), std::min<std::size_t>(most, n - 1)) << n << " " << share;
    }
  }
}

TEST(Pushback, WhenOthersLeaveThoseTooManyComeBack) {
  Pushback pushback = make(5);
  for (std::uint32_t slot = 0; slot < 4; ++slot) pushback.ask(slot, kSecond * (10 + slot), at(0));
  EXPECT_EQ(pushback.out_count(), 4U);
  pushback.leave(4);
  EXPECT_THAT(pushback.pass(at(1)), ElementsAre(0)) << "the first to come back anyway";
  pushback.leave(0);
  pushback.leave(1);
  pushback.leave(2);
  EXPECT_THAT(pushback.pass(at(1)), ElementsAre(3)) << "the last one stays in";
  EXPECT_FALSE(pushback.ask(3, kSecond, at(1)));
}

TEST(Pushback, WhoLeavesIsForgotten) {
  Pushback pushback = make(3);
  pushback.ask(1, kSecond * 30, at(0));
  pushback.leave(1);
  EXPECT_FALSE(pushback.out(1));
  EXPECT_FALSE(pushback.ask(1, kSecond * 30, at(0))) << "a late answer of one that left";
  pushback.join(1);
  EXPECT_FALSE(pushback.out(1));
}

TEST(Pushback, Off) {
  Pushback pushback = make(3, {.longest = Duration(), .refused = Duration()});
  EXPECT_FALSE(pushback.ask(1, kSecond * 30, at(0)));
  EXPECT_FALSE(pushback.refused(1, at(0)));
}

}  // namespace
}  // namespace evener
