// two_choice_hash: each key has two endpoints, its best two by rendezvous and weight, and the one
// with fewer requests in flight per weight gets the request; when they are equal, the key's first.
// O(n) per pick, about 2 ns an endpoint.
//
// Affinity with a second look: a cache is needed in two places at most, and a hot key is spread
// over exactly two endpoints, whoever they share them with. The two are distinct, and stable: when
// one leaves, the other stays and the key's third best moves up; other keys keep both. Source: two
// choices with hashing, Azar et al. 1994; candidates by rendezvous, see there.
#include "balance/keyed/rendezvous_hash.h"
#include "balance/policies/policies.h"

namespace evener {
namespace {

class TwoChoiceHash final : public Policy {
 public:
  void rebuild(const PoolView& pool, Rng&) override {
    if (members_.update(pool)) hash_.build(members_.all());
  }

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    if (!context.key()) return pick_unkeyed(pool, context);
    const auto [first, second] = hash_.best<2>(
        context.key()->hash, [&context](std::uint32_t slot) { return !context.excluded(slot); });
    if (second == Slot::kNone) return first;
    const double first_cost = cost_of(pool, context, first);
    return cost_of(pool, context, second) < first_cost ? second : first;
  }

 private:
  static double cost_of(const PoolView& pool, PickContext& context, std::uint32_t index) {
    const Slot& slot = pool.slots[index];
    // Without this request: counted, it would draw keys to the heavier of two idle ones.
    const double cost = (slot.load() - 1) * static_cast<double>(slot.inverse);
    context.trace.add(index, slot, 0, cost);
    return cost;
  }

  KeyedMembers members_;
  RendezvousHash hash_;
};

}  // namespace

std::unique_ptr<Policy> make_two_choice_hash(const PolicySettings&) {
  return std::make_unique<TwoChoiceHash>();
}

}  // namespace evener
