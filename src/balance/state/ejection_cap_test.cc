#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "balance/state/ejector_test.h"

namespace evener {
namespace {

using State = Ejector::State;

std::size_t limit(std::size_t n, double share) {
  if (n < 2) return 0;
  const auto most = static_cast<std::size_t>(std::floor(share * static_cast<double>(n) + 1e-9));
  return std::min(std::max<std::size_t>(most, 1), n - 1);
}

TEST(EjectionCap, accept_T28_AtLeastOneNeverAllNeverOverTheShare) {
  for (std::uint32_t n = 1; n <= 20; ++n) {
    for (const double share : {0.0, 0.1, 0.3, 0.5, 0.99, 1.0}) {
      SCOPED_TRACE(testing::Message() << n << " endpoints, share " << share);
      EjectorPool pool(n, {.max_share = share});
      for (int round = 0; round < 30; ++round) {
        for (std::uint32_t slot = 0; slot < n; ++slot) pool.fail(slot, 60);
        pool.after_seconds(0.5);
        ASSERT_EQ(pool.out().size(), limit(n, share));
        ASSERT_EQ(pool.ejector.ejected(), pool.out().size());
      }
    }
  }
}

TEST(EjectionCap, accept_T28_StatisticsObeyTheSameCapWorstFirst) {
  for (std::uint32_t n = 1; n <= 20; ++n) {
    EjectorPool pool(n, {.consecutive = 0, .failure_share = 0.5, .max_share = 0.3});
    for (std::uint32_t slot = 0; slot < n; ++slot) {
      pool.mixed(slot, 40 - static_cast<int>(slot), 60 + static_cast<int>(slot));
    }
    pool.after_seconds(1);
    const std::vector<std::uint32_t> out = pool.out();
    ASSERT_EQ(out.size(), limit(n, 0.3)) << n;
    for (const std::uint32_t slot : out) ASSERT_GE(slot, n - out.size()) << n;
  }
}

TEST(EjectionCap, WhenTheHealthyLeaveTheEjectedComeBack) {
  EjectorPool pool(10, {.jitter = 0});
  for (std::uint32_t slot = 0; slot < 5; ++slot) {
    pool.fail(slot, 5);
    pool.after_seconds(1);
  }
  EXPECT_EQ(pool.out().size(), 5U);
  for (std::uint32_t slot = 5; slot < 10; ++slot) pool.ejector.leave(slot);
  EXPECT_THAT(pool.pass(), testing::UnorderedElementsAre(0, 1, 2)) << "the oldest ejections";
  for (std::uint32_t slot = 0; slot < 4; ++slot) pool.ejector.leave(slot);
  EXPECT_THAT(pool.pass(), testing::ElementsAre(4)) << "the last usable endpoint";
}

TEST(EjectionCap, accept_T29_RemovalWhileEjectedDoesNotLeak) {
  EjectorPool pool(4, {.jitter = 0});
  for (int round = 0; round < 100; ++round) {
    pool.fail(0, 5);
    pool.after_seconds(0.01);
    ASSERT_TRUE(pool.ejector.out(0)) << "round " << round;
    if (round % 2 == 0) {
      pool.ejector.reset(0);
    } else {
      pool.ejector.leave(0);
      pool.pass();
      ASSERT_EQ(pool.ejector.ejected(), 0U);
      pool.ejector.reset(0);
    }
    pool.pass();
    ASSERT_EQ(pool.ejector.ejected(), 0U);
    ASSERT_EQ(pool.state(0), State::kIn);
    ASSERT_EQ(pool.ejector.level(0, pool.now), 0U) << "a new endpoint";
    pool.ejector.join(0);
  }
}

// Any order of calls: the count is that of the members that are out, within the cap, and half-open
// endpoints are the members that say so.
TEST(EjectionCap, accept_T29_NoCallSequenceLeaksACount) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng luck(seed);
    const auto n = static_cast<std::uint32_t>(1 + luck.below(12));
    EjectorPool pool(n, {.base = Duration::seconds(1), .longest = Duration::seconds(5)}, seed);
    std::set<std::uint32_t> members;
    for (std::uint32_t slot = 0; slot < n; ++slot) members.insert(slot);
    for (int i = 0; i < 4000; ++i) {
      const auto slot = static_cast<std::uint32_t>(luck.below(n));
      switch (luck.below(8)) {
        case 0:
          pool.ejector.join(slot), members.insert(slot);
          break;
        case 1:
          pool.ejector.leave(slot), members.erase(slot);
          break;
        case 2:
          pool.ejector.reset(slot), members.erase(slot);
          break;
        case 3:
          pool.fail(slot, 3);
          break;
        case 4:
          pool.answer(slot, static_cast<Outcome>(luck.below(4)));
          break;
        case 5:
          if (pool.state(slot) == State::kHalfOpen) pool.ejector.begin_trial(slot, pool.now);
          break;
        default:
          pool.now = pool.now + Duration::from_seconds(luck.uniform01());
      }
      pool.pass();
      std::size_t out = 0;
      std::size_t half_open = 0;
      for (std::uint32_t s = 0; s < n; ++s) {
        out += pool.ejector.out(s) && members.contains(s) ? 1 : 0;
        half_open += pool.state(s) == State::kHalfOpen && members.contains(s) ? 1 : 0;
        ASSERT_EQ(pool.reason(s).empty(), !pool.ejector.out(s));
      }
      ASSERT_EQ(pool.ejector.ejected(), out);
      ASSERT_LE(out, limit(members.size(), 0.5));
      ASSERT_EQ(pool.ejector.half_open().size(), half_open);
    }
  }
}

TEST(EjectionCap, APassOverALargePoolIsDoneInSlices) {
  EjectorPool pool(20'000, {.consecutive = 0});
  pool.fail(19'999, 60);
  pool.after_seconds(1);
  int passes = 1;
  for (; passes < 10 && pool.out().empty(); ++passes) pool.pass();
  EXPECT_THAT(pool.out(), testing::ElementsAre(19'999));
  EXPECT_EQ(passes, 5);
}

}  // namespace
}  // namespace evener
