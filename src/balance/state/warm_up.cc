#include "balance/state/warm_up.h"

#include <cmath>

#include "balance/state/range_check.h"

namespace evener {

std::expected<void, Error> check_settings(const WarmUpSettings& settings) {
  return RangeCheck("warm-up")
      .duration("window", settings.window, Duration(), Duration::seconds(86'400))
      .number("floor", settings.floor, 0.01, 1)
      .number("aggression", settings.aggression, 1, 16)
      .result();
}

WarmUp::WarmUp(const WarmUpSettings& settings) : settings_(settings) {}

void WarmUp::resize(std::size_t slots) {
  if (slots <= state_.size()) return;
  active_.resize(slots);
  state_.resize(slots, State::kUnusable);
  since_.resize(slots);
}

void WarmUp::enter(std::uint32_t slot, Time now) {
  if (state_[slot] != State::kUnusable) return;
  if (settings_.window == Duration() || settings_.floor >= 1) {
    state_[slot] = State::kWarm;
    ++warm_;
    return;
  }
  oldest_ = active_.empty() ? now : std::min(oldest_, now);
  state_[slot] = State::kWarming;
  since_[slot] = now;
  active_.add(slot);
}

void WarmUp::leave(std::uint32_t slot) {
  const State before = state_[slot];
  state_[slot] = State::kUnusable;
  if (before == State::kWarm) --warm_;
  if (before == State::kWarming) active_.remove(slot);
  oldest_stale_ = true;
}

void WarmUp::finish(std::uint32_t slot) {
  state_[slot] = State::kWarm;
  ++warm_;
  active_.remove(slot);
}

// Once per pass, not per leave: a whole set may leave at once. Until then factors are too low.
void WarmUp::find_oldest() {
  oldest_stale_ = false;
  oldest_ = Time::never();
  for (const std::uint32_t slot : active_.items()) oldest_ = std::min(oldest_, since_[slot]);
}

double WarmUp::raw(Time since, Time now) const {
  const Duration age = std::max(now - since, Duration());
  if (age >= settings_.window) return 1;
  double part = static_cast<double>(age.ns()) / static_cast<double>(settings_.window.ns());
  if (settings_.aggression != 1) part = std::pow(part, 1 / settings_.aggression);
  return settings_.floor + (1 - settings_.floor) * part;
}

Duration WarmUp::age(std::uint32_t slot, Time now) const {
  if (state_[slot] == State::kUnusable) return Duration();
  if (state_[slot] == State::kWarm) return settings_.window;
  return std::clamp(now - since_[slot], Duration(), settings_.window);
}

double WarmUp::factor(std::uint32_t slot, Time now) const {
  if (state_[slot] != State::kWarming) return 1;
  const double own = raw(since_[slot], now);
  return warm_ > 0 ? own : own / raw(oldest_, now);
}

}  // namespace evener
