// peak_ewma: of a few distinct endpoints drawn at random, the one of least cost
//   latency(now) x (in_flight + elsewhere + 1) / (weight x warmup x success)
// O(choices). After Finagle's PeakEwma and brpc's in-flight age; what differs and why is in
// slot.h and base/ewma.h.
//
// An endpoint that always loses is looked at again: when a loser got nothing for `reprobe` and for
// 8 n picks, and has nothing in flight, it is taken. So a dead endpoint costs at most one request
// in 8 n (an eighth of its fair share) and one per `reprobe`, and one that recovered is found
// within max(reprobe, 8 n picks) plus the time until it is drawn, about n / 2 picks.
#include "balance/policies/policies.h"
#include "balance/sampler.h"

namespace evener {
namespace {

class PeakEwma final : public Policy {
 public:
  explicit PeakEwma(const PolicySettings& settings)
      : choices_(settings.choices), reprobe_((settings.reprobe.ns() >> 27) + 1) {}

  void rebuild(const PoolView&, Rng&) override {}

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    if (choices_ != 2 || !draw_pair(pool, context, first, second)) return pick_any(pool, context);
    const double first_cost = cost_of(pool, context, first);
    const double second_cost = cost_of(pool, context, second);
    const bool swap = second_cost < first_cost * kClearlyLess;
    const std::uint32_t loser = swap ? first : second;
    if (forgotten(pool, pool.slots[loser], context.now)) {
      context.trace.how = PickTrace::How::kProbe;
      return loser;
    }
    return swap ? second : first;
  }

 private:
  [[gnu::always_inline]] static double cost_of(const PoolView& pool, PickContext& context,
                                               std::uint32_t index) {
    const Slot& slot = pool.slots[index];
    const double latency = pool.model.latency(slot, context.now);
    const double cost = pool.model.cost(slot, latency);
    context.trace.add(index, slot, latency, cost);
    return cost;
  }

  // Any number of choices, weights, tried endpoints, small pools.
  std::uint32_t pick_any(const PoolView& pool, PickContext& context) const {
    Candidates candidates;
    draw_candidates(pool, context, choices_, candidates);
    const std::uint32_t best = least_cost(pool, candidates, [&](std::uint32_t index, const Slot&) {
      return cost_of(pool, context, index);
    });
    for (std::uint32_t i = 0; i < candidates.count; ++i) {
      const std::uint32_t index = candidates.slot[i];
      if (index == best || !forgotten(pool, pool.slots[index], context.now)) continue;
      context.trace.how = PickTrace::How::kProbe;
      return index;
    }
    return best;
  }

  bool forgotten(const PoolView& pool, const Slot& slot, Time now) const {
    const auto idle = static_cast<std::uint16_t>(coarse_time(now) - slot.touched);
    return idle >= reprobe_ && slot.in_flight == 0 &&
           pool.picks - slot.picked_at >= 8 * pool.eligible.size();
  }

  std::uint32_t choices_;
  std::int64_t reprobe_;  // in units of coarse_time
};

}  // namespace

std::unique_ptr<Policy> make_peak_ewma(const PolicySettings& settings) {
  return std::make_unique<PeakEwma>(settings);
}

}  // namespace evener
