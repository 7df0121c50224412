#include "balance/probe_pool.h"

#include <gtest/gtest.h>

#include <set>

#include "balance/conformance.h"

namespace evener {
namespace {

Time at_ms(std::int64_t ms) { return Time() + Duration::milliseconds(ms); }

constexpr auto kOne = [](std::uint32_t) { return 1.0; };

struct Pool : ProbePool {
  explicit Pool(std::size_t n) { reset(n); }
  void see(std::uint32_t slot, std::uint32_t in_flight, double ms, std::int64_t at = 0) {
    add({.slot = slot, .in_flight = in_flight, .latency_ns = ms * 1e6, .at = at_ms(at)}, rng);
  }
  std::uint32_t best_slot() { return (*this)[best(kOne, rng)].slot; }
  std::set<std::uint32_t> slots() const {
    std::set<std::uint32_t> out;
    for (std::size_t i = 0; i < size(); ++i) out.insert((*this)[i].slot);
    return out;
  }
  Rng rng{conformance::seed_from_environment()};
};

TEST(ProbePool, theory_E35_ReuseBudget) {
  EXPECT_NEAR(ProbePool::reuse(16, 100), 1.316, 0.0005);
  EXPECT_NEAR(ProbePool::reuse(16, 1'000'000), 1.0, 0.0001);
  EXPECT_EQ(ProbePool::reuse(16, 16), 16) << "nothing is left: 3 x 0 - 1 is below 0";
  EXPECT_EQ(ProbePool::reuse(16, 24), 16) << "exactly nothing";
  EXPECT_EQ(ProbePool::capacity(16), 5U);
  for (std::size_t n = 3; n < 200; ++n) {
    const std::size_t m = ProbePool::capacity(n);
    const double left = (1 - static_cast<double>(m) / static_cast<double>(n)) * 3 - 1;
    EXPECT_GT(left, 0.99) << n;
    EXPECT_LE(ProbePool::reuse(m, n), 2.001) << n;
    EXPECT_GE(ProbePool::reuse(m, n), 1) << n;
  }
}

TEST(ProbePool, TheFastestOfTheColdWins) {
  Pool pool(100);
  for (std::uint32_t slot = 0; slot < 10; ++slot) pool.see(slot, slot, 100.0 - slot);
  // Loads 0 to 9: 7 is the 0.84 quantile, so 8 and 9 are hot although they are the fastest.
  for (int i = 0; i < 20; ++i) EXPECT_EQ(pool.best_slot(), 7U);
}

TEST(ProbePool, EqualsAreDrawnEvenly) {
  Pool pool(100);
  for (std::uint32_t slot = 0; slot < 8; ++slot) pool.see(slot, 2, slot < 5 ? 10 : 20);
  std::vector<double> hits(5);
  for (int i = 0; i < 50'000; ++i) hits.at(pool.best_slot()) += 1;
  EXPECT_LT(conformance::chi_square(hits, std::vector<double>(5, 10'000)),
            conformance::chi_square_bound(4));
}

TEST(ProbePool, KeepsTheNewestOfEachAndTheNewestOfAll) {
  Pool pool(30);
  for (std::uint32_t slot = 0; slot < 10; ++slot) pool.see(slot, 0, 10);
  pool.see(3, 7, 10, 5);
  EXPECT_EQ(pool.size(), 10U);
  EXPECT_EQ(pool[9].in_flight, 7U);
  pool.see(20, 0, 10, 6);
  EXPECT_EQ(pool.size(), 10U);
  EXPECT_FALSE(pool.slots().contains(0));
}

TEST(ProbePool, ForgetsTheOldAndTheUsedUp) {
  Pool pool(1000);
  pool.see(1, 0, 10, 0);
  pool.see(2, 0, 20, 500);
  pool.clean(at_ms(1001), [](std::uint32_t) { return false; });
  EXPECT_EQ(pool.slots(), std::set<std::uint32_t>{2});
  pool.clean(at_ms(1001), [](std::uint32_t slot) { return slot == 2; });
  EXPECT_EQ(pool.size(), 0U);

  Pool hundred(100);
  double uses = 0;
  for (int i = 0; i < 20'000; ++i) {
    hundred.see(1, 0, 10);
    for (; hundred.size() != 0; ++uses) {
      if (hundred[0].uses > 1) EXPECT_EQ(hundred[0].in_flight, 0U);
      hundred.use(0);
    }
  }
  EXPECT_NEAR(uses / 20'000, 1.316, 0.02);
}

TEST(ProbePool, RemovesTheWorstAndTheOldestInTurn) {
  Pool pool(100);
  for (std::uint32_t slot = 0; slot < 6; ++slot) pool.see(slot, slot == 3 ? 9 : 1, 10.0 + slot);
  const auto removed = [&] {
    const std::set<std::uint32_t> before = pool.slots();
    pool.remove_one(kOne);
    const std::set<std::uint32_t> after = pool.slots();
    for (const std::uint32_t slot : before) {
      if (!after.contains(slot)) return static_cast<int>(slot);
    }
    return -1;
  };
  EXPECT_EQ(removed(), 3) << "hot";
  EXPECT_EQ(removed(), 0) << "the oldest";
  EXPECT_EQ(removed(), 5) << "none is hot: the slowest";
  EXPECT_EQ(removed(), 1);
}

TEST(ProbePool, WeightsAndPenaltiesMultiplyBoth) {
  Pool pool(100);
  pool.see(0, 0, 10);
  pool.see(1, 0, 11);
  pool.see(2, 0, 12);
  const auto failing = [](std::uint32_t slot) { return slot == 0 ? 9.0 : 1.0; };
  for (int i = 0; i < 20; ++i) EXPECT_EQ(pool[pool.best(failing, pool.rng)].slot, 1U);
}

}  // namespace
}  // namespace evener
