#include <algorithm>

#include "balance/core.h"

namespace evener::balance_internal {
namespace {

// A tick visits at most so many that warm up: thousands join at once when a pool starts.
constexpr std::size_t kWarmPerTick = 256;

bool contains(std::span<const EndpointId> ids, EndpointId id) {
  return std::ranges::find(ids, id) != ids.end();
}

}  // namespace

void Core::swap_places(std::uint32_t position, std::uint32_t other) noexcept {
  std::swap(ordered_[position], ordered_[other]);
  positions_[ordered_[position]] = position;
  positions_[ordered_[other]] = other;
}

void Core::set_eligible(std::size_t count) noexcept {
  const std::span<const std::uint32_t> all = ordered_;
  view_.eligible = all.first(count);
  view_.out = all.subspan(count);
}

// One swap moves a member from one list to the other.
void Core::set_bar(std::uint32_t slot, Bar bar, bool on) noexcept {
  const std::uint8_t before = barred_[slot];
  const auto after =
      static_cast<std::uint8_t>(on ? before | bar : before & ~static_cast<unsigned>(bar));
  if (before == after) return;
  barred_[slot] = after;
  const std::uint32_t position = positions_[slot];
  if (position == Slot::kNone) return;
  busy_ += after == kBarFull ? 1U : 0U;
  busy_ -= before == kBarFull ? 1U : 0U;
  if ((before == 0) == (after == 0)) return;
  const std::size_t usable = view_.eligible.size();
  swap_places(position, static_cast<std::uint32_t>(after != 0 ? usable - 1 : usable));
  set_eligible(after != 0 ? usable - 1 : usable + 1);
  if (follower_ != nullptr) follower_->changed(view_, slot);
  if (observers_ != nullptr) observers_->changed(view_, slot);
}

void Core::check_limit(std::uint32_t slot) noexcept {
  const Slot& counts = slots_[slot];
  const std::uint64_t load = std::uint64_t{counts.in_flight} + counts.elsewhere;
  set_bar(slot, kBarFull, load >= options_.max_in_flight);
}

void Core::tell_changed(std::uint32_t slot) noexcept {
  if (options_.max_in_flight != 0) check_limit(slot);
  if (positions_[slot] == Slot::kNone) return;
  if (follower_ != nullptr) follower_->changed(view_, slot);
  if (observers_ != nullptr) observers_->changed(view_, slot);
}

void Core::set_warmth(std::uint32_t slot, double factor) noexcept {
  const auto now = static_cast<float>(factor);
  if (warmth_[slot] == now) return;
  view_.warming -= warmth_[slot] < 1 ? 1 : 0;
  view_.warming += now < 1 ? 1 : 0;
  warmth_[slot] = now;
  update_inverse(slot);
  changed(slot);
}

void Core::update_inverse(std::uint32_t slot) noexcept {
  const float penalty = info_->uses_success ? slots_[slot].windows.penalty() : 1.0F;
  slots_[slot].inverse = inverse_weights_[slot] * penalty / warmth_[slot];
}

void Core::push_back(std::uint32_t slot, Outcome outcome, Duration retry_after, Time now) noexcept {
  const bool out = outcome == Outcome::kConnectFailed && retry_after <= Duration()
                       ? pushback_->refused(slot, now)
                       : pushback_->ask(slot, retry_after, now);
  if (out) set_bar(slot, kBarPushback, true);
}

void Core::pass_bars(Time now) {
  for (const std::uint32_t slot : pushback_->pass(now)) set_bar(slot, kBarPushback, false);
  if (ejector_) {
    const auto median = Duration::nanoseconds(
        median_known_ ? static_cast<std::int64_t>(std::min(model_.median, 9e18)) : 0);
    for (const std::uint32_t slot : ejector_->pass(now, median, rng_)) {
      if (positions_[slot] == Slot::kNone) continue;
      const bool out = ejector_->out(slot);
      set_bar(slot, kBarEjected, out);
      if (!warm_up_) continue;
      if (out) {
        warm_up_->leave(slot);
      } else {
        warm_up_->enter(slot, now);
      }
      set_warmth(slot, warm_up_->factor(slot, now));
    }
  }
  if (warm_up_) {
    warm_up_->pass(now, kWarmPerTick,
                   [this](std::uint32_t slot, double factor) { set_warmth(slot, factor); });
  }
}

std::uint32_t Core::take_trial(const PickRequest& request) noexcept {
  if (!ejector_) return Slot::kNone;
  for (const std::uint32_t slot : ejector_->half_open()) {
    if ((barred_[slot] & ~kBarEjected) != 0) continue;
    if (contains(request.tried, infos_[slot].endpoint.id)) continue;
    ejector_->begin_trial(slot, request.now);
    trace_.how = PickTrace::How::kTrial;
    return slot;
  }
  return Slot::kNone;
}

// A policy that compares load would give nothing to one that warms up while the others are idle: a
// cold endpoint with one request costs as much as a warm one with ten. So each of them gets its
// factor of an even share beside what the policy gives it, as long as it holds no more than others.
std::uint32_t Core::take_warming() noexcept {
  if (!info_->uses_load || info_->uses_key) return Slot::kNone;
  const auto active = warm_up_->active();
  // More may warm up than are eligible: some of them are barred.
  const std::size_t n = std::max(view_.eligible.size(), active.size());
  const std::uint64_t draw = rng_.below(n);
  if (draw >= active.size()) return Slot::kNone;
  const std::uint32_t slot = active[draw];
  if (barred_[slot] != 0 || positions_[slot] == Slot::kNone || warmth_[slot] >= 1) {
    return Slot::kNone;
  }
  const std::uint64_t held = slots_[slot].in_flight;
  if (held * n > view_.in_flight()) return Slot::kNone;
  if (slots_[slot].waiting() != 0 && !slots_[slot].latency.known()) return Slot::kNone;
  if (rng_.uniform01() >= static_cast<double>(warmth_[slot])) return Slot::kNone;
  trace_.how = PickTrace::How::kWarmUp;
  return slot;
}

bool Core::panic_allows(std::uint32_t slot) const {
  const Endpoint& endpoint = infos_[slot].endpoint;
  return !endpoint.draining && (endpoint.up || options_.panic == Panic::kAll);
}

// Whether an untried endpoint is out for nothing but its limit: then waiting helps.
bool Core::waits_for_busy(std::span<const EndpointId> tried) const noexcept {
  std::size_t tried_busy = 0;
  for (std::size_t i = 0; i < tried.size() && busy_ > tried_busy; ++i) {
    const auto found = index_.find(tried[i]);
    if (found == index_.end() || positions_[found->second] == Slot::kNone) continue;
    const bool again = contains(tried.first(i), tried[i]);
    tried_busy += barred_[found->second] == kBarFull && !again ? 1 : 0;
  }
  return busy_ > tried_busy;
}

std::expected<std::uint32_t, PickError> Core::nothing_eligible(
    std::span<const EndpointId> tried) noexcept {
  if (busy_ > 0) {
    const bool busy = waits_for_busy(tried);
    return std::unexpected(busy ? PickError::kAllBusy : PickError::kAllTried);
  }
  if (options_.panic == Panic::kError) return std::unexpected(PickError::kNoneEligible);
  // One at random by weight, in one walk: the k-th allowed replaces the choice with probability
  // its weight / the sum of weights so far.
  double total = 0;
  std::uint32_t chosen = Slot::kNone;
  bool was_tried = false;
  bool was_full = false;
  for (const std::uint32_t slot : by_column_) {
    if (!panic_allows(slot)) continue;
    if (contains(tried, infos_[slot].endpoint.id)) {
      was_tried = true;
      continue;
    }
    if ((barred_[slot] & kBarFull) != 0) {
      was_full = true;
      continue;
    }
    total += weights_[slot];
    if (rng_.uniform01() * total < weights_[slot]) chosen = slot;
  }
  if (chosen == Slot::kNone) {
    if (was_full) return std::unexpected(PickError::kAllBusy);
    return std::unexpected(was_tried ? PickError::kAllTried : PickError::kNoneEligible);
  }
  trace_.how = PickTrace::How::kPanic;
  return chosen;
}

}  // namespace evener::balance_internal
