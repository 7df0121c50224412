// random: an endpoint in proportion to its weight, whatever it does. One draw,
// O(1); more while some warm up, each of which is passed over in proportion.
#include "balance/policies/policies.h"
#include "balance/sampler.h"

namespace evener {
namespace {

class Random final : public Policy {
 public:
  void rebuild(const PoolView&, Rng&) override {}

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    constexpr int kLooks = 16;
    Candidates candidates;
    for (int look = 0; look < kLooks; ++look) {
      draw_candidates(pool, context, 1, candidates);
      if (!pool.passes_cold(candidates.slot[0], context.rng)) break;
    }
    return candidates.slot[0];
  }
};

}  // namespace

std::unique_ptr<Policy> make_random(const PolicySettings&) { return std::make_unique<Random>(); }

}  // namespace evener
