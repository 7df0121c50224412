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
#include "balance/many_costs.h"
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
    expect_even_pair(pool, context.rng);
    const PickTrace::Entry one = reckon(pool, context.now, first);
    const PickTrace::Entry other = reckon(pool, context.now, second);
    context.trace.set_pair(one, other);
    const bool swap = other.cost < one.cost * kClearlyLess;
    const std::uint32_t best = swap ? second : first;
    const std::uint32_t loser = swap ? first : second;
    return is_due(pool, context.now, loser) ? probed(context, loser) : best;
  }

 private:
  static constexpr std::size_t kAutoAll = 256;
  static constexpr std::uint32_t kAutoChoices = 16;

  [[gnu::always_inline]] static PickTrace::Entry reckon(const PoolView& pool, Time now,
                                                        std::uint32_t index) {
    const Slot& slot = pool.slots[index];
    const double latency = pool.model.latency(slot, now);
    return {index, slot.load(), latency, pool.model.cost(slot, latency)};
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
    return or_forgotten(pool, context, candidates, best);
  }

  // Reckoned first, compared after: the next costs need not wait for what the last decided. Nor
  // does luck decide a branch.
  static std::uint32_t least_of(const PoolView& pool, PickContext& context,
                                const Candidates& candidates) {
    if (candidates.count <= PickTrace::kCandidatesMax) {
      const std::span slots(candidates.slot.data(), candidates.count);
      return candidates.slot[least_of_many(pool, context.now, slots, context.trace)];
    }
    std::array<double, kChoicesMax> costs;
    double least = std::numeric_limits<double>::max();
    for (std::uint32_t i = 0; i < candidates.count; ++i) {
      const PickTrace::Entry entry = reckon(pool, context.now, candidates.slot[i]);
      context.trace.add(entry);
      costs[i] = entry.cost;
      least = std::min(least, entry.cost);
    }
    std::uint32_t best = 0;
    for (std::uint32_t i = candidates.count; i-- > 0;) {
      best = costs[i] * kClearlyLess <= least ? i : best;
    }
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
    // For explain: what it was compared with.
    for (std::uint32_t i = 0; i < two.count; ++i) {
      if (two.slot[i] != best) context.trace.add(reckon(pool, context.now, two.slot[i]));
    }
    return or_forgotten(pool, context, two, best);
  }

  std::uint32_t or_forgotten(const PoolView& pool, PickContext& context,
                             const Candidates& candidates, std::uint32_t best) const {
    const std::uint32_t first = candidates.slot[0];
    const std::uint32_t second = candidates.slot[candidates.count > 1 ? 1 : 0];
    if (is_due(pool, context.now, first) && first != best) return probed(context, first);
    if (is_due(pool, context.now, second) && second != best) return probed(context, second);
    return best;
  }

  static std::uint32_t probed(PickContext& context, std::uint32_t slot) {
    context.trace.how = PickTrace::How::kProbe;
    return slot;
  }

  bool is_due(const PoolView& pool, Time now, std::uint32_t index) const {
    return reprobe_.due(pool, pool.slots[index], now);
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
