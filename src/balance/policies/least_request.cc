// least_request: the endpoint with the fewest requests per weight of all, ties at random.
// O(n): two passes over the eligible slots, one to find the least and count its equals, one to
// reach the chosen one of them.
#include <cstddef>

#include "balance/policies/policies.h"
#include "balance/pool_view.h"

namespace evener {
namespace {

double cost_of(const Slot& slot) { return slot.load() * static_cast<double>(slot.inverse); }

class LeastRequest final : public Policy {
 public:
  void rebuild(const PoolView&, Rng&) override {}

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    double least = 0;
    std::uint32_t equals = 0;
    for (const std::uint32_t index : pool.eligible) {
      const double cost = cost_of(pool.slots[index]);
      if ((equals != 0 && cost > least) || context.excluded(index)) continue;
      equals = equals != 0 && cost == least ? equals + 1 : 1;
      least = cost;
    }
    std::uint64_t rank = equals > 1 ? context.rng.below(equals) : 0;
    for (const std::uint32_t index : pool.eligible) {
      const Slot& slot = pool.slots[index];
      if (cost_of(slot) != least || context.excluded(index)) continue;
      if (rank-- != 0) continue;
      context.trace.add(index, slot, 0, least);
      return index;
    }
    return kNoSlot;
  }
};

}  // namespace

std::unique_ptr<Policy> make_least_request(const PolicySettings&) {
  return std::make_unique<LeastRequest>();
}

}  // namespace evener
