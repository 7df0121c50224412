// p2c: of a few distinct endpoints drawn at random, the one with the fewest requests per weight.
// O(choices). Mitzenmacher 2001; distinct, so the worst of n gets nothing and the best 2/n.
#include "balance/policies/policies.h"
#include "balance/sampler.h"

namespace evener {
namespace {

class P2c final : public Policy {
 public:
  explicit P2c(std::uint32_t choices) : choices_(choices) {}

  void rebuild(const PoolView&, Rng&) override {}

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    Candidates candidates;
    draw_candidates(pool, context, choices_, candidates);
    return least_cost(pool, candidates, [&context](std::uint32_t index, const Slot& slot) {
      const double cost = slot.load() * static_cast<double>(slot.inverse);
      context.trace.add(index, slot, 0, cost);
      return cost;
    });
  }

 private:
  std::uint32_t choices_;
};

}  // namespace

std::unique_ptr<Policy> make_p2c(const PolicySettings& settings) {
  return std::make_unique<P2c>(settings.choices);
}

}  // namespace evener
