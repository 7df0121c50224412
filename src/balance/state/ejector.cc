#include "balance/state/ejector.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace evener {
namespace {

constexpr std::size_t kGatherPerPass = 4096;
constexpr std::uint32_t kLevelMax = 32;

}  // namespace

Ejector::Ejector(const EjectionSettings& settings)
    : settings_(settings), bucket_ns_((settings.window / OutcomeWindow::kBuckets).ns()) {}

void Ejector::resize(std::size_t slots) {
  if (slots <= hosts_.size()) return;
  hosts_.resize(slots);
  windows_.resize(slots);
  for (SlotSet* set : {&members_, &out_, &half_open_, &pending_, &changed_}) set->resize(slots);
  samples_.reserve(hosts_.capacity());
  outliers_.reserve(hosts_.capacity());
}

void Ejector::join(std::uint32_t slot) {
  recount_ |= members_.add(slot);
  if (hosts_[slot].state == State::kHalfOpen) half_open_.add(slot);
}

void Ejector::leave(std::uint32_t slot) {
  recount_ |= members_.remove(slot);
  half_open_.remove(slot);
}

void Ejector::await_trial(std::uint32_t slot) noexcept {
  hosts_[slot].state = State::kHalfOpen;
  if (members_.contains(slot)) half_open_.add(slot);
}

void Ejector::reset(std::uint32_t slot) {
  leave(slot);
  for (SlotSet* set : {&out_, &half_open_, &pending_, &changed_}) set->remove(slot);
  // What was gathered of the old endpoint must not be held against the next.
  gather_next_ = 0;
  samples_.clear();
  hosts_[slot] = Host();
  windows_[slot].clear();
}

// Divides only when the time has left the last bucket asked for.
std::int64_t Ejector::bucket_at(Time now) noexcept {
  const std::int64_t offset = (now - bucket_start_).ns();
  if (offset < 0 || offset >= bucket_ns_) {
    bucket_ = std::max<std::int64_t>(now.ns(), 0) / bucket_ns_;
    bucket_start_ = Time::from_ns(bucket_ * bucket_ns_);
  }
  return bucket_;
}

void Ejector::finished(std::uint32_t slot, Time start, Outcome outcome, Duration latency,
                       Time now) noexcept {
  if (!settings_.enabled) return;
  Host& host = hosts_[slot];
  const bool good = outcome == Outcome::kSuccess;
  const bool decides = good || outcome == Outcome::kFailure || outcome == Outcome::kConnectFailed;
  if (host.state == State::kTrial && start >= host.trial_since) {
    if (!decides) {
      await_trial(slot);
    } else if (host.trial_end == TrialEnd::kNone) {
      host.trial_end = good ? TrialEnd::kPassed : TrialEnd::kFailed;
      pending_.add(slot);
    }
    return;
  }
  if (!decides || host.state != State::kIn || start < host.healthy_since) return;
  host.consecutive = good ? 0 : host.consecutive + 1;
  if (settings_.consecutive != 0 && host.consecutive >= settings_.consecutive) pending_.add(slot);
  windows_[slot].add(bucket_at(now), good, latency.ns() > slow_ns_);
}

void Ejector::first_byte(std::uint32_t slot, Time start) noexcept {
  Host& host = hosts_[slot];
  if (host.state == State::kTrial && start >= host.trial_since) host.answered = true;
}

void Ejector::begin_trial(std::uint32_t slot, Time now) noexcept {
  Host& host = hosts_[slot];
  EV_CHECK(host.state == State::kHalfOpen, "a trial of an endpoint that waits for none");
  half_open_.remove(slot);
  host.state = State::kTrial;
  host.trial_end = TrialEnd::kNone;
  host.answered = false;
  host.trial_since = now;
  host.until = now + settings_.trial_timeout;
  due_ = std::min(due_, host.until);
}

std::span<const std::uint32_t> Ejector::pass(Time now, Duration median, Rng& rng) {
  changed_.clear();
  if (!settings_.enabled) return {};
  if (settings_.slow_multiple > 0 && median > Duration()) {
    const double ns = settings_.slow_multiple * static_cast<double>(median.ns());
    slow_ns_ = std::max(static_cast<std::int64_t>(std::min(ns, 9e18)), settings_.slow_floor.ns());
  }
  if (now >= evaluate_at_ && !gathering_) {
    evaluate_at_ = Time::from_ns((bucket_at(now) + 1) * bucket_ns_);
    gathering_ = true;
    gather_next_ = 0;
    samples_.clear();
  }
  if (pending_.empty() && now < due_ && !gathering_ && !recount_) return {};
  recount_ = false;
  count();
  settle(now, rng);
  if (now >= due_) expire(now, rng);
  if (gathering_) gather(now, rng);
  heal(now);
  return changed_.items();
}

void Ejector::count() {
  ejected_ = 0;
  for (const std::uint32_t slot : out_.items()) ejected_ += members_.contains(slot) ? 1 : 0;
}

void Ejector::settle(Time now, Rng& rng) {
  while (!pending_.empty()) {
    const std::uint32_t slot = pending_.items().back();
    pending_.remove(slot);
    settle_one(slot, now, rng);
  }
}

void Ejector::settle_one(std::uint32_t slot, Time now, Rng& rng) {
  const Host& host = hosts_[slot];
  if (host.state == State::kTrial) {
    if (host.trial_end == TrialEnd::kPassed) let_in(slot, now);
    if (host.trial_end == TrialEnd::kFailed) {
      send_out(slot, {EjectionCause::kTrialFailed, 1, 1}, now, rng);
    }
  } else if (settings_.consecutive != 0 && host.consecutive >= settings_.consecutive) {
    try_eject(slot, {EjectionCause::kConsecutive, host.consecutive, host.consecutive}, now, rng);
  }
}

void Ejector::expire(Time now, Rng& rng) {
  due_ = Time::never();
  // From the end, since letting one in moves the last into its place.
  for (std::size_t i = out_.size(); i-- > 0;) {
    const std::uint32_t slot = out_.items()[i];
    Host& host = hosts_[slot];
    if (host.state == State::kOut && now >= host.until) {
      await_trial(slot);
    } else if (host.state == State::kTrial && now >= host.until) {
      if (host.answered) {
        let_in(slot, now);
      } else {
        send_out(slot, {EjectionCause::kTrialTimedOut, 1, 1}, now, rng);
      }
    }
    const bool timed = host.state == State::kOut || host.state == State::kTrial;
    if (timed) due_ = std::min(due_, host.until);
  }
}

void Ejector::gather(Time now, Rng& rng) {
  const std::int64_t bucket = bucket_at(now);
  for (std::size_t i = 0; i < kGatherPerPass && gather_next_ < members_.size(); ++i) {
    const std::uint32_t slot = members_.items()[gather_next_++];
    if (samples_.size() == samples_.capacity()) continue;
    const OutcomeCounts counts = windows_[slot].sum(bucket);
    if (hosts_[slot].state == State::kIn && counts.all() > 0) samples_.push_back({slot, counts});
  }
  if (gather_next_ < members_.size()) return;
  gathering_ = false;
  find_outliers(samples_, settings_, outliers_);
  for (const Outlier& outlier : outliers_) try_eject(outlier.slot, outlier.reason, now, rng);
}

std::size_t Ejector::ejected_max() const {
  const std::size_t n = members_.size();
  if (n < 2 || !settings_.enabled) return 0;
  const double share = std::floor(settings_.max_share * static_cast<double>(n) + 1e-9);
  return std::clamp<std::size_t>(static_cast<std::size_t>(share), 1, n - 1);
}

// Members left since those were ejected: the ones that would come back first do so now.
void Ejector::heal(Time now) {
  const std::size_t most = ejected_max();
  if (ejected_ <= most) return;
  const std::size_t extra = ejected_ - most;
  outliers_.clear();
  for (const std::uint32_t slot : out_.items()) {
    if (members_.contains(slot)) outliers_.push_back({slot, {}});
  }
  std::ranges::sort(outliers_, {}, [this](const Outlier& o) { return hosts_[o.slot].until; });
  for (std::size_t i = 0; i < extra; ++i) let_in(outliers_[i].slot, now);
}

void Ejector::try_eject(std::uint32_t slot, EjectionReason reason, Time now, Rng& rng) {
  if (hosts_[slot].state != State::kIn || !members_.contains(slot)) return;
  if (ejected_ >= ejected_max()) return;
  ++ejected_;
  out_.add(slot);
  changed_.add(slot);
  send_out(slot, reason, now, rng);
}

void Ejector::send_out(std::uint32_t slot, EjectionReason reason, Time now, Rng& rng) {
  Host& host = hosts_[slot];
  const std::uint32_t held = level(slot, now);
  double ns = std::ldexp(static_cast<double>(settings_.base.ns()), static_cast<int>(held));
  ns = std::min(ns, static_cast<double>(settings_.longest.ns()));
  if (settings_.jitter > 0) ns *= 1 - settings_.jitter * rng.uniform01();
  host.level = std::min(held + 1, kLevelMax);
  host.state = State::kOut;
  host.consecutive = 0;
  host.reason = reason;
  host.until =
      now + Duration::nanoseconds(std::max<std::int64_t>(static_cast<std::int64_t>(ns), 1));
  due_ = std::min(due_, host.until);
  windows_[slot].clear();
}

void Ejector::let_in(std::uint32_t slot, Time now) {
  Host& host = hosts_[slot];
  if (members_.contains(slot)) --ejected_;
  out_.remove(slot);
  half_open_.remove(slot);
  changed_.add(slot);
  host.state = State::kIn;
  host.healthy_since = now;
  host.consecutive = 0;
}

std::uint32_t Ejector::level(std::uint32_t slot, Time now) const {
  const Host& host = hosts_[slot];
  if (host.state != State::kIn || host.level == 0) return host.level;
  const std::int64_t healthy = std::max<std::int64_t>((now - host.healthy_since).ns(), 0);
  const std::int64_t fallen = healthy / settings_.base.ns();
  return fallen >= host.level ? 0 : host.level - static_cast<std::uint32_t>(fallen);
}

Ejector::Saved Ejector::saved(std::uint32_t slot, Time now) const {
  const Host& host = hosts_[slot];
  const bool waits = host.state == State::kOut;
  return {.out = host.state != State::kIn,
          .left = waits ? std::max(host.until - now, Duration()) : Duration(),
          .level = level(slot, now),
          .reason = host.reason};
}

void Ejector::restore(std::uint32_t slot, const Saved& saved, Time now) {
  Host& host = hosts_[slot];
  host.level = saved.level;
  host.healthy_since = now;
  if (!saved.out) return;
  host.state = State::kOut;
  host.until = now + std::min(saved.left, settings_.longest);
  host.reason = saved.reason;
  out_.add(slot);
  due_ = std::min(due_, host.until);
  recount_ = true;
}

}  // namespace evener
