#include "balance/many_costs.h"

#include <gtest/gtest.h>

#include <numeric>

#include "balance/conformance.h"
#include "balance/sampler.h"

namespace evener {
namespace {

// Slots in any state that a balancer may bring them into.
Slot random_slot(Rng& rng, Time now, const CostModel& model) {
  Slot slot;
  slot.in_flight = static_cast<std::uint32_t>(rng.below(4));
  slot.answered = static_cast<std::uint32_t>(rng.below(slot.in_flight + 1));
  slot.elsewhere = static_cast<std::uint32_t>(rng.below(3));
  slot.inverse = static_cast<float>(0.25 + 4 * rng.uniform01());
  for (std::uint32_t i = 0; i < slot.waiting(); ++i) {
    const auto age = Duration::nanoseconds(static_cast<std::int64_t>(rng.below(50'000'000)));
    slot.start_sum += static_cast<std::uint64_t>((now - age).ns());
  }
  if (rng.below(8) == 0) return slot;  // unknown
  const std::int64_t scales[] = {1, 1'000, 1'000'000, 100'000'000};
  const auto ago = Duration::nanoseconds(
      static_cast<std::int64_t>(rng.below(1'000)) * scales[rng.below(4)] - 500);
  const auto latency = Duration::nanoseconds(static_cast<std::int64_t>(rng.below(40'000'000)));
  slot.latency.add_mean(static_cast<double>(latency.ns()), now - ago, latency, model.decay);
  return slot;
}

TEST(ManyCosts, AreThoseOfTheModelAndTheFirstNearTheLeastIsTaken) {
  Rng rng{conformance::seed_from_environment()};
  const Time now = Time::from_ns(1'000'000'000'000);
  CostModel model{Duration::seconds(10), Duration::nanoseconds(1000), Duration::milliseconds(10)};
  const AliasTable equal;
  for (int round = 0; round < 2'000; ++round) {
    std::vector<Slot> slots;
    for (int i = 0; i < 64; ++i) slots.push_back(random_slot(rng, now, model));
    const PoolView pool{.slots = slots, .by_weight = equal, .model = model};
    std::vector<std::uint32_t> looked(1 + rng.below(PickTrace::kCandidatesMax));
    for (std::uint32_t& slot : looked) slot = static_cast<std::uint32_t>(rng.below(64));
    PickTrace trace;
    const std::uint32_t best = least_of_many(pool, now, looked, trace);
    ASSERT_LT(best, looked.size());
    ASSERT_EQ(trace.count, looked.size());
    double least = trace.cost[0];
    for (std::uint32_t i = 0; i < trace.count; ++i) {
      const Slot& slot = slots[looked[i]];
      const double latency = model.latency(slot, now);
      ASSERT_EQ(trace.slot[i], looked[i]);
      ASSERT_EQ(trace.load[i], slot.load());
      // The model takes an estimate that is younger than tau / 512 as it is.
      ASSERT_NEAR(trace.latency_ns[i], latency, latency * 2e-3);
      ASSERT_NEAR(trace.cost[i], model.cost(slot, latency), model.cost(slot, latency) * 2e-3);
      least = std::min(least, trace.cost[i]);
    }
    // Rounding may decide only at the border itself.
    for (std::uint32_t i = 0; i < best; ++i) {
      ASSERT_GT(trace.cost[i] * kClearlyLess, least * (1 - 1e-6)) << "an earlier one is as good";
    }
    ASSERT_LE(trace.cost[best] * kClearlyLess, least * (1 + 1e-6));
  }
}

}  // namespace
}  // namespace evener
