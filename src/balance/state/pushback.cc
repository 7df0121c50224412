#include "balance/state/pushback.h"

#include <algorithm>
#include <cmath>

#include "balance/state/duration_text.h"
#include "balance/state/range_check.h"

namespace evener {

std::expected<void, Error> check_settings(const PushbackSettings& settings) {
  constexpr Duration kHour = Duration::seconds(3600);
  return RangeCheck("pushback")
      .duration("longest", settings.longest, Duration(), kHour)
      .duration("refused", settings.refused, Duration(), kHour)
      .number("max_share", settings.max_share, 0, 1)
      .result();
}

Pushback::Pushback(const PushbackSettings& settings) : settings_(settings) {}

void Pushback::resize(std::size_t slots) {
  if (slots <= refused_.size()) return;
  members_.resize(slots);
  heap_.resize(slots);
  refused_.resize(slots);
  back_.reserve(refused_.capacity());
}

void Pushback::join(std::uint32_t slot) { members_.add(slot); }

void Pushback::leave(std::uint32_t slot) {
  members_.remove(slot);
  heap_.remove(slot);
}

bool Pushback::ask(std::uint32_t slot, Duration wait, Time now) noexcept {
  return exclude(slot, std::min(wait, settings_.longest), false, now);
}

bool Pushback::refused(std::uint32_t slot, Time now) noexcept {
  return exclude(slot, settings_.refused, true, now);
}

bool Pushback::exclude(std::uint32_t slot, Duration wait, bool refused, Time now) noexcept {
  if (wait <= Duration()) return out(slot);
  const Time until = now + wait;
  if (out(slot) ? until <= heap_.due(slot)
                : !members_.contains(slot) || heap_.size() >= out_max()) {
    return out(slot);
  }
  heap_.set(slot, until);
  refused_[slot] = refused ? 1 : 0;
  return true;
}

std::span<const std::uint32_t> Pushback::pass(Time now) {
  back_.clear();
  while (!heap_.empty() && (heap_.first_due() <= now || heap_.size() > out_max())) {
    back_.push_back(heap_.first());
    heap_.remove(heap_.first());
  }
  return back_;
}

std::size_t Pushback::out_max() const {
  const std::size_t n = members_.size();
  if (n < 2) return 0;
  const double share = std::floor(settings_.max_share * static_cast<double>(n) + 1e-9);
  return std::min(static_cast<std::size_t>(share), n - 1);
}

std::string Pushback::reason(std::uint32_t slot, Time now) const {
  if (!out(slot)) return {};
  const std::string left = duration_text(heap_.due(slot) - now);
  return refused_[slot] != 0 ? "refused a connection; left alone for another " + left
                             : "asked to be left alone for another " + left;
}

}  // namespace evener
