// least_request: the endpoint with the fewest requests per weight of all, ties at random. O(1)
// while weights are equal, else O(log n); O(n) when endpoints were tried, which few requests have.
// Source: join the shortest queue (Winston 1977); exact for one balancer, and only for one: with
// several, each knows the others' requests as of their last exchange.
#include "balance/least_load.h"
#include "balance/policies/policies.h"

namespace evener {
namespace {

auto loads(const PoolView& pool) {
  return [&pool](std::uint32_t slot) { return pool.slots[slot].load() - 1; };
}

class LeastRequest final : public Policy {
 public:
  void rebuild(const PoolView& pool, Rng&) override { least_.rebuild(pool, loads(pool)); }

  bool follows_load() const override { return true; }
  void changed(const PoolView& pool, std::uint32_t slot) noexcept override {
    least_.changed(pool, slot, loads(pool));
  }

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    const std::uint32_t slot = least_.least(pool, context, loads(pool));
    if (slot == Slot::kNone) return kNoSlot;
    const Slot& counts = pool.slots[slot];
    context.trace.set_one({slot, counts.load(), 0, cost_of(counts)});
    return slot;
  }

 private:
  static double cost_of(const Slot& slot) {
    return slot.load() * static_cast<double>(slot.inverse);
  }

  LeastLoad least_;
};

}  // namespace

std::unique_ptr<Policy> make_least_request(const PolicySettings&) {
  return std::make_unique<LeastRequest>();
}

}  // namespace evener
