#include "io/timer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

namespace evener::io {
namespace {

struct Recorder : Timer {
  Recorder(std::vector<int>& l, int i)
      : Timer([](Timer& t) {
          auto& self = static_cast<Recorder&>(t);
          self.log.push_back(self.id);
        }),
        log(l),
        id(i) {}
  std::vector<int>& log;
  int id;
};

Time at(std::int64_t ns) { return Time::from_ns(ns); }

TEST(Timer, ten_thousand_fire_in_order_whatever_is_moved_or_disarmed) {
  const std::uint32_t seed = 20260701;
  std::mt19937 random(seed);
  TimerHeap heap;
  std::vector<int> log;
  std::vector<std::unique_ptr<Recorder>> timers;
  std::vector<std::int64_t> when(10'000);
  for (int i = 0; i < 10'000; ++i) {
    timers.push_back(std::make_unique<Recorder>(log, i));
    when[static_cast<std::size_t>(i)] = random() % 5000;
    heap.arm(*timers.back(), at(when[static_cast<std::size_t>(i)]));
  }
  std::vector<std::pair<std::int64_t, int>> expected;
  for (std::size_t i = 0; i < timers.size(); ++i) {
    if (i % 3 == 0) {
      timers[i]->disarm();
      continue;
    }
    if (i % 3 == 1) heap.arm(*timers[i], at(when[i] = random() % 5000));
    expected.emplace_back(when[i], static_cast<int>(i));
  }
  EXPECT_EQ(heap.size(), expected.size());
  for (std::int64_t now = 0; now < 5000; now += 7) {
    EXPECT_GE(heap.next(), at(now - 7)) << "seed " << seed;
    heap.fire_due(at(now));
  }
  heap.fire_due(at(5000));
  ASSERT_EQ(log.size(), expected.size());
  for (std::size_t i = 1; i < log.size(); ++i) {
    EXPECT_LE(when[static_cast<std::size_t>(log[i - 1])], when[static_cast<std::size_t>(log[i])]);
  }
  EXPECT_EQ(heap.next(), Time::never());
}

TEST(Timer, ties_fire_in_arming_order) {
  TimerHeap heap;
  std::vector<int> log;
  Recorder a(log, 1);
  Recorder b(log, 2);
  Recorder c(log, 3);
  heap.arm(b, at(5));
  heap.arm(c, at(5));
  heap.arm(a, at(5));
  heap.fire_due(at(5));
  EXPECT_EQ(log, (std::vector<int>{2, 3, 1}));
}

TEST(Timer, one_that_arms_itself_for_the_past_does_not_hold_up_the_turn) {
  struct Again : Timer {
    explicit Again(TimerHeap& h)
        : Timer([](Timer& t) {
            auto& self = static_cast<Again&>(t);
            ++self.count;
            self.heap.arm(self, at(0));
          }),
          heap(h) {}
    TimerHeap& heap;
    int count = 0;
  };
  TimerHeap heap;
  Again again(heap);
  heap.arm(again, at(0));
  heap.fire_due(at(10));
  EXPECT_EQ(again.count, 1);
}

TEST(Timer, a_destroyed_timer_never_fires) {
  TimerHeap heap;
  std::vector<int> log;
  {
    Recorder gone(log, 1);
    heap.arm(gone, at(1));
  }
  heap.fire_due(at(2));
  EXPECT_TRUE(log.empty());
}

}  // namespace
}  // namespace evener::io
