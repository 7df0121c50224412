#include <algorithm>

#include "balance/core.h"
#include "base/check.h"

namespace evener::balance_internal {

void Core::apply(EndpointSetPtr set, Time now) {
  EV_CHECK(set != nullptr, "apply needs a set");
  EV_CHECK(set->board() == nullptr || options_.worker < set->board()->workers(),
           "the set's board has no row for this worker");
  last_ = now;
  for (const std::uint32_t slot : by_column_) infos_[slot].present = false;
  const std::vector<std::uint32_t> before = std::move(by_column_);
  by_column_.clear();
  by_column_.reserve(set->size());
  set_ = std::move(set);
  board_ = set_->board();
  for (const Endpoint& endpoint : set_->endpoints()) {
    const std::uint32_t slot = slot_for(endpoint, now);
    slots_[slot].column = static_cast<std::uint32_t>(by_column_.size());
    weights_[slot] = endpoint.weight;
    inverse_weights_[slot] = static_cast<float>(1 / endpoint.weight);
    infos_[slot].present = true;
    if (infos_[slot].endpoint != endpoint) infos_[slot].endpoint = endpoint;
    by_column_.push_back(slot);
    update_inverse(slot);
    publish(slots_[slot]);
  }
  for (const std::uint32_t slot : before) {
    if (infos_[slot].present) continue;
    slots_[slot].column = Slot::kNone;
    infos_[slot].position = Slot::kNone;
    if (slots_[slot].in_flight == 0) forget(slot);
  }
  trace_ = PickTrace();
  fold_next_ = 0;
  fold_elsewhere(by_column_.size());
  rebuild_eligible();
}

// The endpoint's slot: the one it has, also when it only lives for its tickets; else a clean one.
std::uint32_t Core::slot_for(const Endpoint& endpoint, Time now) {
  const auto [known, fresh] = index_.try_emplace(endpoint.id, 0);
  if (!fresh) return known->second;
  std::uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
    weights_.push_back(1);
    inverse_weights_.push_back(1);
    counters_.emplace_back();
    infos_.emplace_back();
    endpoints_.push_back(&infos_.back().endpoint);
  } else {
    slot = free_.back();
    free_.pop_back();
    slots_[slot] = Slot();
    counters_[slot] = Counters();
    infos_[slot] = Info();
  }
  slots_[slot].picked_at = static_cast<std::uint32_t>(picks_);
  slots_[slot].touched = coarse_time(now);
  known->second = slot;
  return slot;
}

void Core::forget(std::uint32_t slot) {
  index_.erase(infos_[slot].endpoint.id);
  free_.push_back(slot);
}

void Core::rebuild_eligible() {
  eligible_.clear();
  std::vector<double> weights;
  for (const std::uint32_t slot : by_column_) {
    Info& info = infos_[slot];
    info.position = Slot::kNone;
    if (!info.endpoint.up || info.endpoint.draining) continue;
    info.position = static_cast<std::uint32_t>(eligible_.size());
    eligible_.push_back(slot);
    weights.push_back(info.endpoint.weight);
  }
  by_weight_.build(weights);
  tried_positions_.reserve(eligible_.size());
  tried_slots_.reserve(eligible_.size());
  free_.reserve(slots_.size());
  view_.slots = slots_;
  view_.eligible = eligible_;
  view_.weights = weights_;
  view_.endpoints = endpoints_;
  policy_->rebuild(view_, rng_);
}

}  // namespace evener::balance_internal
