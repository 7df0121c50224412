#include <evener/custom_policy.h>

#include <algorithm>

#include "balance/custom_adapter.h"
#include "balance/sampler.h"
#include "base/check.h"

namespace evener {

using balance_internal::CustomAdapter;

std::uint32_t PolicyView::size() const { return static_cast<std::uint32_t>(pool_.members.size()); }

bool PolicyView::usable(std::uint32_t i) const { return !context_.excluded(pool_.members[i]); }

std::uint32_t PolicyView::usable_count() const {
  return static_cast<std::uint32_t>(pool_.eligible.size() - context_.tried_positions.size());
}

const Endpoint& PolicyView::endpoint(std::uint32_t i) const {
  return *pool_.endpoints[pool_.members[i]];
}

std::uint32_t PolicyView::in_flight(std::uint32_t i) const {
  return pool_.slots[pool_.members[i]].in_flight;
}

std::uint32_t PolicyView::elsewhere(std::uint32_t i) const {
  return pool_.slots[pool_.members[i]].elsewhere;
}

Duration PolicyView::latency(std::uint32_t i) const {
  const double ns = pool_.model.latency(pool_.slots[pool_.members[i]], context_.now);
  return Duration::nanoseconds(static_cast<std::int64_t>(std::min(ns, 9.2e18)));
}

double PolicyView::weight(std::uint32_t i) const {
  const std::uint32_t slot = pool_.members[i];
  return pool_.weights[slot] * static_cast<double>(pool_.warmth[slot]);
}

double PolicyView::success(std::uint32_t i) const {
  return 1 / static_cast<double>(pool_.slots[pool_.members[i]].windows.penalty());
}

bool PolicyView::forgotten(std::uint32_t i) const {
  return adapter_.reprobe().due(pool_, pool_.slots[pool_.members[i]], context_.now);
}

Time PolicyView::now() const { return context_.now; }
const std::optional<Key>& PolicyView::key() const { return context_.key(); }
Rng& PolicyView::rng() { return context_.rng; }

std::span<const std::uint32_t> PolicyView::draw(std::span<std::uint32_t> out) {
  if (out.empty()) return {};
  Candidates candidates;
  const auto choices = static_cast<std::uint32_t>(std::min<std::size_t>(out.size(), kChoicesMax));
  draw_candidates(pool_, context_, choices, candidates);
  for (std::uint32_t k = 0; k < candidates.count; ++k) {
    out[k] = adapter_.number(candidates.slot[k]);
  }
  return out.first(candidates.count);
}

void PolicyView::compared(std::uint32_t i, double cost) {
  const std::uint32_t slot = pool_.members[i];
  const Slot& counts = pool_.slots[slot];
  context_.trace.add(slot, counts, pool_.model.latency(counts, context_.now), cost);
}

namespace balance_internal {
namespace {

// Taken though others that were compared cost less: to hear from it again.
bool costs_more(const PickTrace& trace, std::uint32_t slot) {
  double own = 0;
  double least = 0;
  for (std::uint32_t k = 0; k < trace.count; ++k) {
    if (trace.slot[k] == slot) own = trace.cost[k];
    least = k == 0 ? trace.cost[k] : std::min(least, trace.cost[k]);
  }
  return own > least;
}

}  // namespace

CustomAdapter::CustomAdapter(std::unique_ptr<CustomPolicy> policy, Duration reprobe)
    : policy_(std::move(policy)), reprobe_(reprobe) {
  EV_CHECK(policy_ != nullptr, "BalancerOptions::custom must make a policy");
}

void CustomAdapter::rebuild(const PoolView& pool, Rng&) {
  numbers_.assign(pool.slots.size(), Slot::kNone);
  members_.clear();
  for (const std::uint32_t slot : pool.members) {
    numbers_[slot] = static_cast<std::uint32_t>(members_.size());
    members_.push_back(pool.endpoints[slot]);
  }
  policy_->rebuild(members_);
}

std::uint32_t CustomAdapter::pick(const PoolView& pool, PickContext& context) noexcept {
  PolicyView view(*this, pool, context);
  const std::uint32_t number = policy_->pick(view);
  if (number >= pool.members.size() || !view.usable(number)) return kNoSlot;
  const std::uint32_t slot = pool.members[number];
  if (view.forgotten(number) && costs_more(context.trace, slot)) {
    context.trace.how = PickTrace::How::kProbe;
  }
  return slot;
}

const PolicyInfo& custom_policy_info() {
  static constexpr PolicyInfo kInfo = {.name = "custom",
                                       .summary = "a rule of the embedder's",
                                       .source = "evener/custom_policy.h",
                                       .parameters = {},
                                       .uses_latency = true,
                                       .uses_success = true};
  return kInfo;
}

}  // namespace balance_internal
}  // namespace evener
