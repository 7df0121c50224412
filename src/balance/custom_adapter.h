// CustomAdapter: a CustomPolicy of the embedder's as a Policy of ours.
//
// Owned by a Core in the place of a policy from the catalog. Keeps the members' numbers: a slot's
// number by slot, rebuilt with them. One thread.
#pragma once

#include <evener/custom_policy.h>

#include <memory>
#include <vector>

#include "balance/pool_view.h"
#include "balance/reprobe.h"

namespace evener::balance_internal {

class CustomAdapter final : public Policy {
 public:
  // REQUIRES: policy.
  CustomAdapter(std::unique_ptr<CustomPolicy> policy, Duration reprobe);

  void rebuild(const PoolView& pool, Rng& rng) override;
  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override;

  std::uint32_t number(std::uint32_t slot) const { return numbers_[slot]; }
  const Reprobe& reprobe() const { return reprobe_; }

 private:
  std::unique_ptr<CustomPolicy> policy_;
  Reprobe reprobe_;
  std::vector<std::uint32_t> numbers_;
  std::vector<const Endpoint*> members_;
};

// What the balancer must know of any custom policy: it may look at everything.
const PolicyInfo& custom_policy_info();

}  // namespace evener::balance_internal
