#include "sim/world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace evener::sim {
namespace {

Duration ns(std::int64_t n) { return Duration::nanoseconds(n); }

class Recorder final : public Actor {
 public:
  explicit Recorder(World& world) : world_(world) {}
  void fire(std::uint64_t payload) override { seen.emplace_back(world_.now().ns(), payload); }
  std::vector<std::pair<std::int64_t, std::uint64_t>> seen;

 private:
  World& world_;
};

TEST(World, EqualTimesFireInTheOrderAskedFor) {
  World world(1);
  Recorder recorder(world);
  for (std::uint64_t i = 0; i < 100; ++i) {
    world.at(Time::from_ns(static_cast<std::int64_t>(50 - i % 5)), recorder, i);
  }
  while (world.step()) continue;
  ASSERT_EQ(recorder.seen.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(recorder.seen));
}

TEST(World, PastTimesCountAsNow) {
  World world(1);
  Recorder recorder(world);
  world.run_until(Time::from_ns(10));
  world.at(Time::from_ns(3), recorder, 7);
  EXPECT_TRUE(world.step());
  EXPECT_EQ(recorder.seen.front().first, 10);
  EXPECT_FALSE(world.step());
}

TEST(World, RunUntilFiresWhatIsDueAndLeavesTheRest) {
  World world(1);
  Recorder recorder(world);
  world.at(Time::from_ns(10), recorder, 1);
  world.at(Time::from_ns(11), recorder, 2);
  world.run_until(Time::from_ns(10));
  EXPECT_EQ(recorder.seen.size(), 1U);
  EXPECT_EQ(world.pending(), 1U);
  EXPECT_EQ(world.now().ns(), 10);
}

TEST(World, StreamsDependOnNameAndSeedOnly) {
  const World world(5);
  Rng first = world.stream("work");
  Rng other = world.stream("delay");
  Rng again = world.stream("work");
  const std::uint64_t draw = first.u64();
  EXPECT_EQ(draw, again.u64());
  EXPECT_NE(draw, other.u64());
  EXPECT_NE(draw, World(6).stream("work").u64());
}

TEST(World, TheSourceIsInOrderWithTheRest) {
  World world(1);
  Recorder recorder(world);
  world.at(Time::from_ns(5), recorder, 1);
  world.source_at(Time::from_ns(5), recorder, 2);
  world.at(Time::from_ns(5), recorder, 3);
  world.at(Time::from_ns(4), recorder, 0);
  EXPECT_EQ(world.pending(), 4U);
  world.run_until(Time::from_ns(4));
  EXPECT_EQ(recorder.seen.size(), 1U);
  while (world.step()) continue;
  ASSERT_EQ(recorder.seen.size(), 4U);
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(recorder.seen[i].second, i);
  world.source_at(Time::from_ns(9), recorder, 4);
  EXPECT_FALSE(world.step_until(Time::from_ns(8)));
  EXPECT_TRUE(world.step());
}

// Asks for more events, cancels some, and compares with a sorted list kept beside.
class Chaos final : public Actor {
 public:
  Chaos(World& world, std::uint64_t seed) : world_(world), rng_(seed) {}

  void grow() {
    const Time when = world_.now() + ns(static_cast<std::int64_t>(rng_.below(1000)));
    const EventId id = world_.at(when, *this, next_);
    expected_.push_back({when.ns(), next_++, id});
  }

  void fire(std::uint64_t payload) override {
    const auto least = std::ranges::min_element(expected_);
    ASSERT_NE(least, expected_.end());
    EXPECT_EQ(least->number, payload);
    EXPECT_EQ(least->when, world_.now().ns());
    const EventId fired_id = least->id;
    expected_.erase(least);
    EXPECT_FALSE(world_.cancel(fired_id));
    const std::uint64_t more = next_ < 3000 ? rng_.below(3) : 0;
    for (std::uint64_t i = 0; i < more; ++i) grow();
    if (!expected_.empty() && rng_.below(3) == 0) {
      const auto victim =
          expected_.begin() + static_cast<std::ptrdiff_t>(rng_.below(expected_.size()));
      EXPECT_TRUE(world_.cancel(victim->id));
      EXPECT_FALSE(world_.cancel(victim->id));
      expected_.erase(victim);
    }
    EXPECT_EQ(world_.pending(), expected_.size());
  }

  // When many are cancelled at once, the queue is rebuilt.
  void cancel_most() {
    while (expected_.size() > 10) {
      EXPECT_TRUE(world_.cancel(expected_.back().id));
      expected_.pop_back();
    }
  }
  bool done() const { return expected_.empty(); }

 private:
  struct Expected {
    std::int64_t when;
    std::uint64_t number;
    EventId id;
    auto operator<=>(const Expected&) const = default;
  };

  World& world_;
  Rng rng_;
  std::uint64_t next_ = 0;
  std::vector<Expected> expected_;
};

TEST(World, PropertyOrderHoldsUnderSchedulingAndCancelling) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    Chaos chaos(world, seed);
    for (int i = 0; i < 200; ++i) chaos.grow();
    while (world.step()) continue;
    EXPECT_TRUE(chaos.done());
  }
}

TEST(World, CancellingTheMajorityRebuildsTheQueue) {
  World world(1);
  Chaos chaos(world, 1);
  for (int i = 0; i < 5000; ++i) chaos.grow();
  chaos.cancel_most();
  EXPECT_EQ(world.pending(), 10U);
  while (world.step()) continue;
  EXPECT_TRUE(chaos.done());
}

}  // namespace
}  // namespace evener::sim
