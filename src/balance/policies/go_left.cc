// go_left: the eligible endpoints in `choices` groups, one drawn from each, the fewest requests per
// weight wins and of equals the leftmost. O(choices).
//
// For comparison with the theory: leaning on purpose lowers the largest load, where loads only
// grow (balls into bins). With requests that end, most ties are between idle endpoints, and those
// to the left do most of the work: not for production. Groups are even parts of the list of
// eligible endpoints, whose order changes when one is ejected or full. Within a group draws are by
// weight. Voecking 1999.
#include <algorithm>

#include "balance/policies/policies.h"
#include "balance/sampler.h"

namespace evener {
namespace {

class GoLeft final : public Policy {
 public:
  explicit GoLeft(std::uint32_t choices) : groups_(choices) {}

  void rebuild(const PoolView& pool, Rng&) override {
    greatest_ = 0;
    for (const std::uint32_t slot : pool.members) {
      greatest_ = std::max(greatest_, pool.weights[slot]);
    }
  }

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    const std::uint64_t untried = pool.eligible.size() - context.tried_positions.size();
    const std::uint64_t groups = std::min<std::uint64_t>(groups_, untried);
    std::uint32_t best = Slot::kNone;
    double best_cost = 0;
    for (std::uint64_t group = 0; group < groups; ++group) {
      const std::uint64_t begin = group * untried / groups;
      const std::uint64_t end = (group + 1) * untried / groups;
      const std::uint32_t index = draw(pool, context, begin, end - begin);
      const Slot& slot = pool.slots[index];
      const double cost = slot.load() * static_cast<double>(slot.inverse);
      context.trace.add(index, slot, 0, cost);
      if (best != Slot::kNone && cost >= best_cost * kClearlyLess) continue;
      best = index;
      best_cost = cost;
    }
    return best;
  }

 private:
  // Accepts in proportion to weight: a try succeeds half the time, unless a few weights are nearly
  // everything.
  std::uint32_t draw(const PoolView& pool, PickContext& context, std::uint64_t begin,
                     std::uint64_t size) const {
    constexpr int kLooks = 16;
    std::uint32_t index = 0;
    for (int look = 0; look < kLooks; ++look) {
      const std::uint64_t rank = begin + context.rng.below(size);
      index = pool.eligible[context.untried(static_cast<std::uint32_t>(rank))];
      if (size == 1 || pool.by_weight.empty()) break;
      if (context.rng.uniform01() * greatest_ < pool.weights[index]) break;
    }
    return index;
  }

  std::uint32_t groups_;
  double greatest_ = 0;
};

}  // namespace

std::unique_ptr<Policy> make_go_left(const PolicySettings& settings) {
  return std::make_unique<GoLeft>(choices_of(settings));
}

}  // namespace evener
