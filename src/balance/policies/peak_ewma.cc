// peak_ewma: of a few distinct endpoints drawn at random, or of all, the one of least cost
//   latency(now) x (in_flight + elsewhere + 1) / (weight x warmup x success)
// O(choices), O(n) for `all`. After Finagle's PeakEwma and brpc's in-flight age; what differs and
// why is in slot.h and base/ewma.h.
//
// More looks pay against slow endpoints: two choices alone cannot keep traffic off them once they
// are many, since both draws may be slow; and latency tells of the load that other balancers put
// there, if enough of it is looked at. `auto`, the default, looks at all of up to 256 endpoints,
// and at 16 of more: a pick stays O(1). docs/adr/0007 has the figures.
//
// An endpoint that always loses is looked at again: two at random of those compared, or of all, are
// taken instead when they are forgotten (reprobe.h). So one that recovered is found within
// max(reprobe, 8 n picks) plus the time until it is drawn, about n / 2 picks.
#include <algorithm>
#include <array>
#include <limits>

#include "balance/cost_bounds.h"
#include "balance/policies/policies.h"
#include "balance/reprobe.h"
#include "balance/sampler.h"

namespace evener {
namespace {

class PeakEwma final : public Policy {
 public:
  explicit PeakEwma(const PolicySettings& settings)
      : choices_(choices_of(settings)), reprobe_(settings.reprobe) {}

  void rebuild(const PoolView& pool, Rng&) override {
    if (follows_load()) bounds_.rebuild(pool);
  }

  bool follows_load() const override { return choices_ >= kChoicesAuto; }
  void changed(const PoolView& pool, std::uint32_t slot) noexcept override {
    bounds_.changed(pool, slot);
  }

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    if (choices_ != 2 || !draw_pair(pool, context, first, second)) return pick_any(pool, context);
    const double first_cost = cost_of(pool, context, first);
    const double second_cost = cost_of(pool, context, second);
    const bool swap = second_cost < first_cost * kClearlyLess;
    const std::uint32_t best = swap ? second : first;
    const std::uint32_t loser = swap ? first : second;
    return is_due(pool, context, loser) ? loser : best;
  }

 private:
  static constexpr std::size_t kAutoAll = 256;
  static constexpr std::uint32_t kAutoChoices = 16;

  [[gnu::always_inline]] static double cost_of(const PoolView& pool, PickContext& context,
                                               std::uint32_t index) {
    const Slot& slot = pool.slots[index];
    const double latency = pool.model.latency(slot, context.now);
    const double cost = pool.model.cost(slot, latency);
    context.trace.add(index, slot, latency, cost);
    return cost;
  }

  // Any number of choices, weights, tried endpoints, small pools.
  std::uint32_t pick_any(const PoolView& pool, PickContext& context) {
    std::uint32_t choices = choices_;
    if (choices == kChoicesAuto)
      choices = pool.eligible.size() <= kAutoAll ? kChoicesAll : kAutoChoices;
    if (choices == kChoicesAll) return pick_of_all(pool, context);
    Candidates candidates;
    draw_candidates(pool, context, choices, candidates);
    const std::uint32_t best = least_of(pool, context, candidates);
    return or_forgotten(pool, context, candidates, best, true);
  }

  // Reckoned first, compared after: the next costs need not wait for what the last decided.
  static std::uint32_t least_of(const PoolView& pool, PickContext& context,
                                const Candidates& candidates) {
    std::array<double, kChoicesMax> costs;
    double least = std::numeric_limits<double>::max();
    for (std::uint32_t i = 0; i < candidates.count; ++i) {
      costs[i] = cost_of(pool, context, candidates.slot[i]);
      least = std::min(least, costs[i]);
    }
    std::uint32_t best = 0;
    while (costs[best] * kClearlyLess > least) ++best;
    return candidates.slot[best];
  }

  std::uint32_t pick_of_all(const PoolView& pool, PickContext& context) {
    const std::uint32_t best = bounds_.least(pool, context);
    Candidates two;
    if (!draw_pair(pool, context, two.slot[0], two.slot[1])) {
      draw_candidates(pool, context, 2, two);
    } else {
      two.count = 2;
    }
    return or_forgotten(pool, context, two, best, false);
  }

  std::uint32_t or_forgotten(const PoolView& pool, PickContext& context,
                             const Candidates& candidates, std::uint32_t best, bool traced) const {
    std::uint32_t taken = best;
    for (std::uint32_t i = 0; i < std::min(candidates.count, 2U); ++i) {
      const std::uint32_t index = candidates.slot[i];
      if (index == best) continue;
      if (!traced) cost_of(pool, context, index);  // for explain: what it was compared with
      if (taken == best && is_due(pool, context, index)) taken = index;
    }
    return taken;
  }

  bool is_due(const PoolView& pool, PickContext& context, std::uint32_t loser) const {
    if (!reprobe_.due(pool, pool.slots[loser], context.now)) return false;
    context.trace.how = PickTrace::How::kProbe;
    return true;
  }

  std::uint32_t choices_;
  Reprobe reprobe_;
  CostBounds bounds_;  // if it may compare all
};

}  // namespace

std::unique_ptr<Policy> make_peak_ewma(const PolicySettings& settings) {
  return std::make_unique<PeakEwma>(settings);
}

}  // namespace evener
