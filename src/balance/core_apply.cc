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
  watched_ = board_ != nullptr || limits_or_observers_;
  told_ = watched_ || follower_ != nullptr;
  for (const Endpoint& endpoint : set_->endpoints()) {
    const std::uint32_t slot = slot_for(endpoint, now);
    columns_[slot] = static_cast<std::uint32_t>(by_column_.size());
    if (board_ == nullptr) slots_[slot].elsewhere = 0;
    weights_[slot] = endpoint.weight;
    inverse_weights_[slot] = static_cast<float>(1 / endpoint.weight);
    infos_[slot].present = true;
    if (infos_[slot].endpoint != endpoint) infos_[slot].endpoint = endpoint;
    by_column_.push_back(slot);
    publish(slot);
  }
  for (const std::uint32_t slot : before) {
    if (infos_[slot].present) continue;
    columns_[slot] = Slot::kNone;
    leave(slot);
    if (slots_[slot].in_flight == 0) forget(slot);
  }
  trace_ = PickTrace();
  rebuild_members(now);
  note_care();
}

// The endpoint's slot: the one it has, also when it only lives for its tickets; else a clean one.
std::uint32_t Core::slot_for(const Endpoint& endpoint, Time now) {
  const auto [known, fresh] = index_.try_emplace(endpoint.id, 0);
  if (!fresh) return known->second;
  std::uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    resize(slots_.size() + 1);
  } else {
    slot = free_.back();
    free_.pop_back();
    slots_[slot] = Slot();
    counters_[slot] = Counters();
    infos_[slot] = Info();
    positions_[slot] = Slot::kNone;
  }
  endpoints_[slot] = &infos_[slot].endpoint;
  ids_[slot] = endpoint.id;
  slots_[slot].picked_at = static_cast<std::uint32_t>(view_.picks);
  slots_[slot].touched = coarse_time(now);
  known->second = slot;
  return slot;
}

void Core::resize(std::size_t slots) {
  slots_.resize(slots);
  weights_.resize(slots, 1);
  inverse_weights_.resize(slots, 1);
  warmth_.resize(slots, 1);
  barred_.resize(slots);
  endpoints_.resize(slots);
  positions_.resize(slots, Slot::kNone);
  columns_.resize(slots, Slot::kNone);
  counters_.resize(slots);
  infos_.resize(slots);
  ids_.resize(slots);
  if (ejector_) ejector_->resize(slots);
  if (warm_up_) warm_up_->resize(slots);
  pushback_->resize(slots);
}

void Core::forget(std::uint32_t slot) {
  index_.erase(infos_[slot].endpoint.id);
  if (ejector_) ejector_->reset(slot);
  barred_[slot] = 0;
  free_.push_back(slot);
}

// The endpoint is a member from now on: it could be picked but for what bars it.
void Core::join(std::uint32_t slot, Time now) {
  pushback_->join(slot);
  if (ejector_) ejector_->join(slot);
  unsigned bars = pushback_->out(slot) ? kBarPushback : 0U;
  bars |= ejector_ && ejector_->out(slot) ? kBarEjected : 0U;
  const std::uint64_t load = std::uint64_t{slots_[slot].in_flight} + slots_[slot].elsewhere;
  bars |= options_.max_in_flight != 0 && load >= options_.max_in_flight ? kBarFull : 0U;
  barred_[slot] = static_cast<std::uint8_t>(bars);
  if (warm_up_ && (bars & kBarEjected) == 0) warm_up_->enter(slot, now);
}

void Core::leave(std::uint32_t slot) {
  positions_[slot] = Slot::kNone;
  warmth_[slot] = 1;
  pushback_->leave(slot);
  if (ejector_) ejector_->leave(slot);
  if (warm_up_) warm_up_->leave(slot);
}

void Core::rebuild_members(Time now) {
  view_.slots = slots_;
  view_.barred = barred_;
  usual_.barred = barred_;
  view_.warmth = warmth_;
  view_.weights = weights_;
  view_.endpoints = endpoints_;
  view_.columns = columns_;
  members_.clear();
  std::vector<double> weights;
  for (const std::uint32_t slot : by_column_) {
    const Endpoint& endpoint = infos_[slot].endpoint;
    if (!endpoint.up || endpoint.draining) {
      leave(slot);
      continue;
    }
    members_.push_back(slot);
    weights.push_back(endpoint.weight);
  }
  for (const std::uint32_t slot : members_) join(slot, now);
  ordered_.clear();
  ordered_.reserve(members_.size());
  const auto add = [this](bool eligible) {
    for (const std::uint32_t slot : members_) {
      if ((barred_[slot] == 0) == eligible) ordered_.push_back(slot);
    }
  };
  add(true);
  const std::size_t usable = ordered_.size();
  add(false);
  busy_ = 0;
  view_.warming = 0;
  for (std::uint32_t position = 0; position < ordered_.size(); ++position) {
    const std::uint32_t slot = ordered_[position];
    positions_[slot] = position;
    busy_ += barred_[slot] == kBarFull ? 1 : 0;
    warmth_[slot] = warm_up_ ? static_cast<float>(warm_up_->factor(slot, now)) : 1.0F;
    view_.warming += warmth_[slot] < 1 ? 1 : 0;
  }
  for (const std::uint32_t slot : by_column_) update_inverse(slot);
  by_weight_.build(weights);
  view_.members = members_;
  set_eligible(usable);
  tried_positions_.reserve(members_.size());
  tried_slots_.reserve(members_.size());
  batch_.reserve(members_.size());
  free_.reserve(slots_.size());
  policy_->rebuild(view_, rng_);
  if (observers_ != nullptr) observers_->rebuild(view_);
  // Policies that follow the load know all slots by now.
  fold_next_ = 0;
  fold_elsewhere(by_column_.size());
}

}  // namespace evener::balance_internal
