#include <evener/wait_queue.h>
#include <gtest/gtest.h>

#include <deque>
#include <list>
#include <memory>
#include <vector>

#include "base/rng.h"

namespace evener {
namespace {

Time at(double seconds) { return Time() + Duration::from_seconds(seconds); }
Duration ms(std::int64_t value) { return Duration::milliseconds(value); }

using Node = WaitQueue::Node;

std::vector<std::unique_ptr<Node>> nodes(std::size_t count) {
  std::vector<std::unique_ptr<Node>> made;
  for (std::size_t i = 0; i < count; ++i) {
    made.push_back(std::make_unique<Node>());
    made.back()->id = i;
  }
  return made;
}

TEST(WaitQueue, RefusesSettingsOutOfRange) {
  EXPECT_TRUE(check_settings(WaitQueueSettings{}));
  EXPECT_FALSE(check_settings(WaitQueueSettings{.size = 1'000'001}));
  EXPECT_FALSE(check_settings(WaitQueueSettings{.wait = Duration::seconds(-1)}));
  EXPECT_FALSE(check_settings(WaitQueueSettings{.target = ms(1001)}));
  EXPECT_FALSE(check_settings(WaitQueueSettings{.overload_wait = ms(99)}));
  EXPECT_FALSE(check_settings(WaitQueueSettings{.interval = Duration::seconds(3601)}));
}

TEST(WaitQueue, FirstComeFirstServedAndFull) {
  WaitQueue queue({.size = 3});
  auto all = nodes(4);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue.push(*all[static_cast<std::size_t>(i)], at(0)));
  EXPECT_FALSE(queue.push(*all[3], at(0)));
  EXPECT_FALSE(all[3]->waiting());
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(queue.pop(at(0))->id, i);
  EXPECT_EQ(queue.pop(at(0)), nullptr);
  WaitQueue none({.size = 0});
  EXPECT_FALSE(none.push(*all[3], at(0)));
}

TEST(WaitQueue, case_F11_TheThirdOfTwoWaitsAndThenGivesUp) {
  WaitQueue queue({});
  Node third;
  ASSERT_TRUE(queue.push(third, at(0)));
  for (double t = 0; t < 1; t += 0.005) ASSERT_EQ(queue.overdue(at(t)), nullptr);
  EXPECT_FALSE(queue.overloaded(at(0.99))) << "one that waits is no overload";
  EXPECT_EQ(queue.overdue(at(1)), &third);
  EXPECT_FALSE(third.waiting());
  EXPECT_EQ(queue.overdue(at(1)), nullptr);
}

TEST(WaitQueue, OwnDeadlinesAreNoticedAtTheirTurn) {
  WaitQueue queue({});
  Node first;
  Node second;
  ASSERT_TRUE(queue.push(first, at(0), at(0.5)));
  ASSERT_TRUE(queue.push(second, at(0), at(0.2)));
  EXPECT_EQ(queue.overdue(at(0.3)), nullptr);
  EXPECT_EQ(queue.overdue(at(0.5)), &first);
  EXPECT_EQ(queue.pop(at(0.5)), &second);
  EXPECT_TRUE(queue.expired(second, at(0.5)));
}

TEST(WaitQueue, ANodeOrAQueueThatGoesLeavesNothingBehind) {
  Node survivor;
  {
    WaitQueue queue({});
    {
      Node gone;
      ASSERT_TRUE(queue.push(gone, at(0)));
      ASSERT_TRUE(queue.push(survivor, at(0)));
    }
    EXPECT_EQ(queue.size(), 1U);
  }
  EXPECT_FALSE(survivor.waiting());
  survivor.cancel();
}

TEST(WaitQueue, OverloadServesTheNewestAndGivesUpOnTheOldest) {
  WaitQueue queue({});
  auto all = nodes(100);
  for (std::size_t i = 0; i < 60; ++i)
    ASSERT_TRUE(queue.push(*all[i], at(0.01 * static_cast<double>(i))));
  EXPECT_FALSE(queue.overloaded(at(0.59)));
  EXPECT_EQ(queue.pop(at(0.59))->id, 0U) << "late, but not for long enough";
  EXPECT_TRUE(queue.overloaded(at(0.605)));
  EXPECT_EQ(queue.pop(at(0.605))->id, 59U);
  std::uint64_t expected = 1;
  while (Node* node = queue.overdue(at(0.605))) EXPECT_EQ(node->id, expected++);
  EXPECT_EQ(expected, 11U) << "those that waited half a second";
  // Over once the oldest is young again; lateness then starts anew.
  while (queue.pop(at(0.65)) != nullptr) {
  }
  for (std::size_t i = 60; i < 70; ++i) ASSERT_TRUE(queue.push(*all[i], at(0.7)));
  EXPECT_FALSE(queue.overloaded(at(0.7)));
  EXPECT_FALSE(queue.overloaded(at(1.29)));
  EXPECT_TRUE(queue.overloaded(at(1.31)));
}

// Arrivals at twice what is served: with plain first come first served everybody who is served has
// waited almost to the limit; the newest first answers most of those it serves at once.
TEST(WaitQueue, UnderOverloadMostOfThoseServedHaveWaitedLittle) {
  WaitQueue queue({});
  std::deque<Node> all(4000);
  std::size_t next = 0;
  int served = 0;
  int quick = 0;
  int refused = 0;
  for (int tick = 0; tick < 20'000; ++tick) {
    const Time now = at(tick / 1000.0);
    while (queue.overdue(now) != nullptr) ++refused;
    if (tick % 5 == 0 && !queue.push(all[next++ % all.size()], now)) ++refused;
    if (tick % 10 != 0) continue;
    if (const Node* node = queue.pop(now)) {
      ASSERT_LE(now - node->since(), Duration::seconds(1));
      served += tick > 2000 ? 1 : 0;
      quick += tick > 2000 && now - node->since() <= ms(20) ? 1 : 0;
    }
  }
  EXPECT_GT(served, 1700);
  EXPECT_GT(quick, served * 9 / 10);
  EXPECT_GT(refused, 1500);
}

TEST(WaitQueue, AgreesWithAListUnderRandomCalls) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    WaitQueue queue({.size = 20});
    auto all = nodes(40);
    std::list<std::uint64_t> model;
    double now = 0;
    for (int i = 0; i < 4000; ++i) {
      Node& node = *all[rng.below(40)];
      switch (rng.below(5)) {
        case 0:
        case 1:
          if (node.waiting()) break;
          ASSERT_EQ(queue.push(node, at(now)), model.size() < 20);
          if (node.waiting()) model.push_back(node.id);
          break;
        case 2:
          node.cancel();
          model.remove(node.id);
          break;
        case 3: {
          const bool newest = queue.overloaded(at(now));
          const Node* next = queue.pop(at(now));
          ASSERT_EQ(next == nullptr, model.empty());
          if (next == nullptr) break;
          ASSERT_EQ(next->id, newest ? model.back() : model.front());
          model.remove(next->id);
          break;
        }
        default:
          now += 0.2 * rng.uniform01();
      }
      while (const Node* late = queue.overdue(at(now))) {
        ASSERT_EQ(late->id, model.front());
        model.pop_front();
      }
      ASSERT_EQ(queue.size(), model.size());
      if (!model.empty()) ASSERT_LT(at(now) - all[model.front()]->since(), Duration::seconds(1));
    }
  }
}

}  // namespace
}  // namespace evener
