// LeastLoad: which eligible member has the least load per weight, kept up to date from
// Policy::changed.
//
// Equal weights, the usual case, are ordered by load alone: LoadBuckets, O(1). While weights differ
// or somebody warms up, by load x inverse: CostTree, O(log n). It goes from one to the other by
// itself, which costs O(n) once. The load is what `load_of(slot)` says, in flight without the next
// request. Owned by one policy and its thread; only rebuild allocates.
#pragma once

#include "balance/cost_tree.h"
#include "balance/load_buckets.h"
#include "balance/pool_view.h"

namespace evener {

class LeastLoad {
 public:
  // Whether members that warm up compete by their weight factor, or are left out.
  enum class Cold : std::uint8_t { kIn, kOut };

  explicit LeastLoad(Cold cold = Cold::kIn) : cold_(cold) {}

  template <typename LoadOf>
  void rebuild(const PoolView& pool, LoadOf&& load_of) {
    buckets_.reset(pool.slots.size(), pool.members.size());
    tree_.reset(pool.members, pool.slots.size());
    even_ = pool.by_weight.empty();
    by_cost_ = needs_cost(pool);
    fill(pool, load_of);
  }

  // The member's load, weight factor or eligibility changed.
  template <typename LoadOf>
  void changed(const PoolView& pool, std::uint32_t slot, LoadOf&& load_of) noexcept {
    // As usual: weights are equal, everyone is warm, and this one competes.
    if (even_ && !by_cost_ && pool.warming == 0 && pool.barred[slot] == 0) [[likely]]
      return buckets_.set(slot, load_of(slot));
    changed_with_care(pool, slot, load_of);
  }

  // One of those of least load per weight that were not tried, each as likely; Slot::kNone when
  // there is none. O(n) when some were tried, which few requests have.
  template <typename LoadOf>
  std::uint32_t least(const PoolView& pool, PickContext& context, LoadOf&& load_of) const noexcept {
    if (!context.tried_slots.empty()) return search(pool, context, load_of);
    if (by_cost_) return tree_.empty() ? Slot::kNone : tree_.least(context.rng);
    return buckets_.empty() ? Slot::kNone : buckets_.least(context.rng);
  }

 private:
  template <typename LoadOf>
  [[gnu::noinline]] void changed_with_care(const PoolView& pool, std::uint32_t slot,
                                           LoadOf& load_of) noexcept {
    if (needs_cost(pool) != by_cost_) {
      switch_over(pool, load_of);
    } else if (by_cost_) {
      tree_.set(slot, cost_of(pool, slot, load_of));
    } else if (competes(pool, slot)) {
      buckets_.set(slot, load_of(slot));
    } else {
      buckets_.remove(slot);
    }
  }

  bool needs_cost(const PoolView& pool) const {
    return !even_ || (pool.warming != 0 && cold_ == Cold::kIn);
  }

  bool competes(const PoolView& pool, std::uint32_t slot) const {
    return pool.barred[slot] == 0 && (cold_ == Cold::kIn || pool.warmth[slot] >= 1);
  }

  template <typename LoadOf>
  float cost_of(const PoolView& pool, std::uint32_t slot, LoadOf&& load_of) const {
    if (!competes(pool, slot)) return CostTree::kOut;
    // Rounded to float, what is equal on paper is equal: three times a third, and one.
    return static_cast<float>(load_of(slot) + 1) * pool.slots[slot].inverse;
  }

  // Of equals the k-th replaces the choice with probability 1 / k.
  template <typename LoadOf>
  std::uint32_t search(const PoolView& pool, PickContext& context,
                       LoadOf&& load_of) const noexcept {
    std::uint32_t chosen = Slot::kNone;
    std::uint64_t equals = 0;
    float least = CostTree::kOut;
    for (const std::uint32_t slot : pool.eligible) {
      const float cost = cost_of(pool, slot, load_of);
      if (cost > least || cost == CostTree::kOut || context.excluded(slot)) continue;
      equals = cost == least ? equals + 1 : 1;
      least = cost;
      if (equals == 1 || context.rng.below(equals) == 0) chosen = slot;
    }
    return chosen;
  }

  template <typename LoadOf>
  void switch_over(const PoolView& pool, LoadOf&& load_of) noexcept {
    by_cost_ = !by_cost_;
    if (by_cost_) {
      buckets_.fill({}, load_of);
    }
    fill(pool, load_of);
  }

  template <typename LoadOf>
  void fill(const PoolView& pool, LoadOf&& load_of) noexcept {
    if (by_cost_) {
      tree_.fill(pool.members, [&](std::uint32_t slot) { return cost_of(pool, slot, load_of); });
    } else {
      buckets_.fill(pool.eligible, load_of);
      if (cold_ == Cold::kIn || pool.warming == 0) return;
      for (const std::uint32_t slot : pool.eligible) {
        if (!competes(pool, slot)) buckets_.remove(slot);
      }
    }
  }

  Cold cold_;
  LoadBuckets buckets_;
  CostTree tree_;
  bool even_ = true;  // weights are equal
  bool by_cost_ = false;
};

}  // namespace evener
