// p2c_memory: a few fresh draws and the endpoint remembered from the last pick: the least loaded of
// its candidates after the request was placed. O(choices).
//
// One remembered endpoint is worth about 15 % of the time in system as a third candidate; as the
// second it is worse than a second draw at every size up to 2^24, since an idle endpoint is hardly
// ever the one remembered. Mitzenmacher, Prabhakar and Shah 2002.
#include "balance/policies/policies.h"
#include "balance/sampler.h"

namespace evener {
namespace {

class P2cMemory final : public Policy {
 public:
  explicit P2cMemory(std::uint32_t choices) : choices_(choices) {}

  // Slot indexes may be others' from now on.
  void rebuild(const PoolView&, Rng&) override { remembered_ = Slot::kNone; }

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    Candidates candidates;
    draw_candidates(pool, context, choices_, candidates);
    const std::uint32_t fresh =
        least_cost(pool, candidates, [&](std::uint32_t index, const Slot& slot) {
          const double cost = slot.load() * static_cast<double>(slot.inverse);
          context.trace.add(index, slot, 0, cost);
          return cost;
        });
    const std::uint32_t best = better_of(pool, context, candidates, fresh);
    remember(pool, candidates, best);
    return best;
  }

 private:
  static double cost_of(const PoolView& pool, std::uint32_t index, std::uint32_t placed) {
    const Slot& slot = pool.slots[index];
    return static_cast<double>(slot.load() + placed) * static_cast<double>(slot.inverse);
  }

  // The remembered endpoint, if it may be picked and costs clearly less; it joins the candidates.
  std::uint32_t better_of(const PoolView& pool, PickContext& context, Candidates& candidates,
                          std::uint32_t fresh) const {
    if (remembered_ == Slot::kNone || context.excluded(remembered_)) return fresh;
    for (std::uint32_t i = 0; i < candidates.count; ++i) {
      if (candidates.slot[i] == remembered_) return fresh;
    }
    if (candidates.count < kChoicesMax) candidates.slot[candidates.count++] = remembered_;
    const double cost = cost_of(pool, remembered_, 0);
    context.trace.add(remembered_, pool.slots[remembered_], 0, cost);
    return cost < cost_of(pool, fresh, 0) * kClearlyLess ? remembered_ : fresh;
  }

  void remember(const PoolView& pool, const Candidates& candidates, std::uint32_t placed) {
    remembered_ = least_cost(pool, candidates, [&](std::uint32_t index, const Slot&) {
      return cost_of(pool, index, index == placed ? 1 : 0);
    });
  }

  std::uint32_t choices_;
  std::uint32_t remembered_ = Slot::kNone;
};

}  // namespace

std::unique_ptr<Policy> make_p2c_memory(const PolicySettings& settings) {
  return std::make_unique<P2cMemory>(choices_of(settings));
}

}  // namespace evener
