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
  template <typename LoadOf>
  void rebuild(const PoolView& pool, LoadOf&& load_of) {
    buckets_.reset(pool.slots.size(), pool.members.size());
    tree_.reset(pool.members, pool.slots.size());
    by_cost_ = needs_cost(pool);
    fill(pool, load_of);
  }

  // The member's load, weight factor or eligibility changed.
  template <typename LoadOf>
  void changed(const PoolView& pool, std::uint32_t slot, LoadOf&& load_of) noexcept {
    if (needs_cost(pool) != by_cost_) {
      switch_over(pool, load_of);
    } else if (by_cost_) {
      tree_.set(slot, cost_of(pool, slot, load_of));
    } else if (pool.barred[slot] == 0) {
      buckets_.set(slot, load_of(slot));
    } else {
      buckets_.remove(slot);
    }
  }

  // One of those of least load per weight, each as likely; Slot::kNone when nobody is eligible.
  std::uint32_t least(Rng& rng) const noexcept {
    if (by_cost_) return tree_.empty() ? Slot::kNone : tree_.least(rng);
    return buckets_.empty() ? Slot::kNone : buckets_.least(rng);
  }

 private:
  static bool needs_cost(const PoolView& pool) {
    return pool.warming != 0 || !pool.by_weight.empty();
  }

  template <typename LoadOf>
  static float cost_of(const PoolView& pool, std::uint32_t slot, LoadOf&& load_of) {
    if (pool.barred[slot] != 0) return CostTree::kOut;
    // Rounded to float, what is equal on paper is equal: three times a third, and one.
    return static_cast<float>(load_of(slot) + 1) * pool.slots[slot].inverse;
  }

  template <typename LoadOf>
  void switch_over(const PoolView& pool, LoadOf&& load_of) noexcept {
    by_cost_ = !by_cost_;
    if (by_cost_) {
      for (const std::uint32_t slot : pool.members) buckets_.remove(slot);
    }
    fill(pool, load_of);
  }

  template <typename LoadOf>
  void fill(const PoolView& pool, LoadOf&& load_of) noexcept {
    if (by_cost_) {
      tree_.fill(pool.members, [&](std::uint32_t slot) { return cost_of(pool, slot, load_of); });
    } else {
      for (const std::uint32_t slot : pool.eligible) buckets_.set(slot, load_of(slot));
    }
  }

  LoadBuckets buckets_;
  CostTree tree_;
  bool by_cost_ = false;
};

}  // namespace evener
