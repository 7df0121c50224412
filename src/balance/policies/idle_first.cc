// idle_first: an endpoint that nobody has a request at, at random by weight; while there is none,
// of two at random the one with the fewest requests per weight. O(1): the idle are kept in a list.
//
// Idle means for every worker, as far as this one knows. One that warms up is not listed: it has
// its own part of a share, and idle it would get a whole one. Alone as good as the exact rule, and
// far behind it with many balancers that do not see each other. Join-idle-queue, Lu et al. 2011;
// the second look instead of a random one when none is idle is worth a fifth at load 0.9.
#include <algorithm>
#include <vector>

#include "balance/policies/policies.h"
#include "balance/sampler.h"
#include "base/huge_vector.h"

namespace evener {
namespace {

class IdleFirst final : public Policy {
 public:
  void rebuild(const PoolView& pool, Rng&) override {
    idle_.clear();
    idle_.reserve(pool.members.size());
    place_.assign(pool.slots.size(), Slot::kNone);
    greatest_ = 0;
    for (const std::uint32_t slot : pool.members) {
      greatest_ = std::max(greatest_, pool.weights[slot]);
      changed(pool, slot);
    }
  }

  bool follows_load() const override { return true; }
  void changed(const PoolView& pool, std::uint32_t slot) noexcept override {
    const bool listed = place_[slot] != Slot::kNone;
    const bool idle =
        pool.slots[slot].load() == 1 && pool.barred[slot] == 0 && pool.warmth[slot] >= 1;
    if (idle == listed) return;
    if (idle) {
      place_[slot] = static_cast<std::uint32_t>(idle_.size());
      idle_.push_back(slot);
    } else {
      const std::uint32_t last = idle_.back();
      idle_[place_[slot]] = last;
      place_[last] = place_[slot];
      place_[slot] = Slot::kNone;
      idle_.pop_back();
    }
  }

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    std::uint32_t first = idle_.empty() ? Slot::kNone : draw_idle(pool, context);
    if (first != Slot::kNone) {
      context.trace.set_one(entry(pool, first));
      return first;
    }
    std::uint32_t second = 0;
    if (!draw_pair(pool, context, first, second)) return pick_any(pool, context);
    expect_even_pair(pool, context.rng);
    const PickTrace::Entry one = entry(pool, first);
    const PickTrace::Entry other = entry(pool, second);
    context.trace.set_pair(one, other);
    return other.cost < one.cost * kClearlyLess ? second : first;
  }

 private:
  // Whether a draw hits one that was tried or too light is luck; after a few, two choices do.
  std::uint32_t draw_idle(const PoolView& pool, PickContext& context) const {
    constexpr int kLooks = 8;
    const bool even = pool.by_weight.empty();
    for (int look = 0; look < kLooks; ++look) {
      const std::uint32_t slot = idle_[(context.rng.u64() >> 32) * idle_.size() >> 32];
      if (!context.tried_slots.empty() && context.excluded(slot)) continue;
      if (even || context.rng.uniform01() * greatest_ < pool.weights[slot]) return slot;
    }
    return Slot::kNone;
  }

  static PickTrace::Entry entry(const PoolView& pool, std::uint32_t index) {
    const Slot& slot = pool.slots[index];
    return {index, slot.load(), 0, slot.load() * static_cast<double>(slot.inverse)};
  }

  static std::uint32_t pick_any(const PoolView& pool, PickContext& context) {
    Candidates candidates;
    draw_candidates(pool, context, 2, candidates);
    return least_cost(pool, candidates, [&](std::uint32_t index, const Slot&) {
      const PickTrace::Entry seen = entry(pool, index);
      context.trace.add(seen);
      return seen.cost;
    });
  }

  HugeVector<std::uint32_t> idle_;
  HugeVector<std::uint32_t> place_;  // by slot, in idle_; kNone: not there
  double greatest_ = 0;              // weight of a member
};

}  // namespace

std::unique_ptr<Policy> make_idle_first(const PolicySettings&) {
  return std::make_unique<IdleFirst>();
}

}  // namespace evener
