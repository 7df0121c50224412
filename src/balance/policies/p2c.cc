// p2c: of a few distinct endpoints drawn at random, the one with the fewest requests per weight.
// O(choices). Mitzenmacher 2001; distinct, so the worst of n gets nothing and the best 2/n.
//
// Two variants for comparison with the theory, both worse: draws with replacement, where the worst
// gets 1/n^2 and one of two idle endpoints is missed one time in four; and the (1+beta) choice of
// Peres, Talwar and Wieder 2010, which compares with probability beta and else takes one at random.
#include "balance/policies/policies.h"
#include "balance/sampler.h"

namespace evener {
namespace {

class P2c final : public Policy {
 public:
  explicit P2c(const PolicySettings& settings)
      : choices_(choices_of(settings)),
        replacement_(settings.replacement),
        beta_(settings.beta),
        two_(choices_ == 2 && !replacement_ && beta_ >= 1) {}

  void rebuild(const PoolView& pool, Rng&) override { plain_ = two_ && pool.by_weight.empty(); }

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    if (!plain_ || !draw_even_pair(pool, context, first, second)) return pick_any(pool, context);
    expect_even_pair(pool, context.rng);
    const Slot& a = pool.slots[first];
    const Slot& b = pool.slots[second];
    const PickTrace::Entry one{first, a.load(), 0, cost(a)};
    const PickTrace::Entry other{second, b.load(), 0, cost(b)};
    context.trace.set_pair(one, other);
    return other.cost < one.cost * kClearlyLess ? second : first;
  }

 private:
  static double cost(const Slot& slot) { return slot.load() * static_cast<double>(slot.inverse); }

  // Any number of choices, weights, tried endpoints, small pools, variants.
  [[gnu::noinline]] std::uint32_t pick_any(const PoolView& pool, PickContext& context) const {
    Candidates candidates;
    if (beta_ < 1 && context.rng.uniform01() >= beta_) {
      draw_candidates(pool, context, 1, candidates);
    } else if (replacement_) {
      draw_with_replacement(pool, context, candidates);
    } else {
      draw_candidates(pool, context, choices_, candidates);
    }
    return least_cost(pool, candidates, [&](std::uint32_t index, const Slot& slot) {
      context.trace.add(index, slot, 0, cost(slot));
      return cost(slot);
    });
  }

  void draw_with_replacement(const PoolView& pool, PickContext& context, Candidates& out) const {
    Candidates one;
    for (out.count = 0; out.count < choices_; ++out.count) {
      draw_candidates(pool, context, 1, one);
      out.slot[out.count] = one.slot[0];
    }
  }

  std::uint32_t choices_;
  bool replacement_;
  double beta_;
  bool two_;            // all three as usual
  bool plain_ = false;  // and equal weights
};

}  // namespace

std::unique_ptr<Policy> make_p2c(const PolicySettings& settings) {
  return std::make_unique<P2c>(settings);
}

}  // namespace evener
