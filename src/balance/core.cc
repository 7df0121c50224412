#include "balance/core.h"

#include <algorithm>
#include <array>

#include "balance/custom_adapter.h"
#include "base/check.h"

namespace evener::balance_internal {
namespace {

constexpr Duration kMedianEvery = Duration::milliseconds(10);
constexpr std::size_t kMedianSample = 255;
constexpr std::size_t kFoldPerTick = 4096;
// Where latency decides nothing, every 32nd is enough to tell people: an average over time does not
// mind.
constexpr std::uint64_t kSampleOneIn = 32;

std::unique_ptr<Policy> policy_or_stop(const BalancerOptions& options) {
  if (options.custom != nullptr) {
    return std::make_unique<CustomAdapter>(options.custom(), options.policy.reprobe);
  }
  auto policy = make_policy(options.policy);
  EV_CHECK(policy.has_value(), policy.error().message);
  return std::move(*policy);
}

}  // namespace

Core::Core(BalancerOptions options)
    : options_(std::move(options)),
      policy_(policy_or_stop(options_)),
      info_(options_.custom != nullptr ? &custom_policy_info() : find_policy(options_.policy.name)),
      rng_(options_.seed),
      model_(options_.policy.tau, options_.policy.floor, options_.policy.prior),
      view_{slots_, {}, {}, {}, {}, {}, {}, by_weight_, model_},
      usual_{Time(), nullptr, {}, {}, {}, rng_, trace_},
      window_length_(static_cast<std::uint64_t>(options_.policy.window.ns())),
      unsampled_(info_->uses_latency ? 0 : kSampleOneIn - 1) {
  const auto ok = check_options(options_);
  EV_CHECK(ok.has_value(), ok.error().message);
  if (options_.ejection.enabled) ejector_.emplace(options_.ejection);
  if (options_.warm_up.window > Duration() && options_.warm_up.floor < 1) {
    warm_up_.emplace(options_.warm_up);
  }
  pushback_.emplace(options_.pushback);
  observers_ = Observers::make(options_);
  follower_ = policy_->follows_load() ? policy_.get() : nullptr;
  limits_or_observers_ =
      options_.max_in_flight != 0 || (observers_ != nullptr && observers_->follows_load());
}

void Core::release(std::unique_ptr<Core> core) noexcept {
  if (core == nullptr || core->view_.in_flight() == 0) return;
  Core* const raw = core.get();
  raw->self_ = std::move(core);
  raw->note_care();
}

// Numbers windows by time; divides only when the time has left the last one asked for.
void Core::turn_window(Time now) noexcept {
  const std::int64_t number = now.ns() / static_cast<std::int64_t>(window_length_);
  window_start_ = Time::from_ns(number * static_cast<std::int64_t>(window_length_));
  window_ = static_cast<std::uint8_t>(number);
}

// Fills tried_positions_ (ascending) and tried_slots_; false when nothing untried is left.
bool Core::find_tried(std::span<const EndpointId> tried) noexcept {
  tried_positions_.clear();
  tried_slots_.clear();
  for (const EndpointId id : tried) {
    const auto found = index_.find(id);
    if (found == index_.end()) continue;
    const std::uint32_t position = positions_[found->second];
    if (position >= view_.eligible.size()) continue;
    const auto at = std::ranges::lower_bound(tried_positions_, position);
    if (at != tried_positions_.end() && *at == position) continue;
    tried_positions_.insert(at, position);
    tried_slots_.push_back(found->second);
  }
  return tried_positions_.size() < view_.eligible.size();
}

[[gnu::always_inline]] inline void Core::counted(std::uint32_t index) noexcept {
  if (!told_) return;
  if (watched_) [[unlikely]]
    return tell_counted(index);
  if (positions_[index] != Slot::kNone) follower_->changed(view_, index);
}

[[gnu::noinline]] void Core::tell_counted(std::uint32_t index) noexcept {
  publish(index);
  tell_changed(index);
}

[[gnu::always_inline]] inline void Core::take_unit(std::uint32_t index, Time now) noexcept {
  Slot& slot = slots_[index];
  ++view_.picks;
  ++slot.in_flight;
  slot.start_sum += static_cast<std::uint64_t>(now.ns());
  slot.picked_at = static_cast<std::uint32_t>(view_.picks);
  slot.touched = coarse_time(now);
  counted(index);
}

[[gnu::always_inline]] inline void Core::decided(const PickContext& context,
                                                 std::uint32_t slot) noexcept {
  trace_.chosen = slot;
  if (trace_.count == 0 || observers_ != nullptr) [[unlikely]]
    tell_decided(context);
}

[[gnu::noinline]] void Core::tell_decided(const PickContext& context) noexcept {
  const std::uint32_t slot = trace_.chosen;
  if (trace_.count == 0) trace_.add(slot, slots_[slot], 0, 0);
  if (observers_ != nullptr) observers_->picked(view_, context, view_.picks + 1);
}

std::expected<Ticket, PickError> Core::pick(const PickRequest& request) noexcept {
  // The usual pick: two or more are eligible, none was tried, none needs care.
  if (view_.eligible.size() < 2 || !request.tried.empty() || needs_care()) [[unlikely]] {
    return pick_with_care(request);
  }
  const Time now = request.now;
  last_ = now;
  trace_.begin(now);
  usual_.now = now;
  usual_.request_key = &request.key;
  std::uint32_t slot = policy_->pick(view_, usual_);
  if (slot == Slot::kNone) [[unlikely]] {
    slot = view_.eligible[rng_.below(view_.eligible.size())];
  }
  decided(usual_, slot);
  take_unit(slot, now);
  return Ticket(this, slot, now);
}

[[gnu::noinline]] std::expected<Ticket, PickError> Core::pick_with_care(
    const PickRequest& request) noexcept {
  const auto slot = choose(request);
  if (!slot) return std::unexpected(slot.error());
  return issue(*slot, request.now);
}

// Small pools, retries, nothing eligible, trials, warm-up.
std::expected<std::uint32_t, PickError> Core::choose(const PickRequest& request) noexcept {
  last_ = request.now;
  if (by_column_.empty()) return std::unexpected(PickError::kNoEndpoints);
  trace_.begin(request.now);
  std::span<const std::uint32_t> positions;
  std::span<const std::uint32_t> tried;
  std::uint32_t slot = Slot::kNone;
  if (view_.eligible.empty()) {
    slot = take_trial(request);
    if (slot == Slot::kNone) {
      const auto found = nothing_eligible(request.tried);
      if (!found) return found;
      slot = *found;
    }
  } else if (!request.tried.empty()) {
    if (!find_tried(request.tried)) {
      const bool busy = waits_for_busy(request.tried);
      return std::unexpected(busy ? PickError::kAllBusy : PickError::kAllTried);
    }
    positions = tried_positions_;
    tried = tried_slots_;
  }
  PickContext context{request.now, &request.key, positions, tried, barred_, rng_, trace_};
  if (slot == Slot::kNone) slot = choose_with_care(context, request);
  note_tried(tried);
  decided(context, slot);
  return slot;
}

std::uint32_t Core::choose_with_care(PickContext& context, const PickRequest& request) noexcept {
  const std::size_t untried = view_.eligible.size() - context.tried_positions.size();
  if (context.tried_positions.empty()) {
    const std::uint32_t trial = take_trial(request);
    if (trial != Slot::kNone) return trial;
    if (view_.warming != 0 && untried > 1) {
      const std::uint32_t warming = take_warming();
      if (warming != Slot::kNone) return warming;
    }
  }
  std::uint32_t slot = Slot::kNone;
  if (untried > 1) {
    slot = policy_->pick(view_, context);
  }
  if (slot != Slot::kNone) return slot;
  const std::uint64_t rank = untried > 1 ? rng_.below(untried) : 0;
  return view_.eligible[context.untried(static_cast<std::uint32_t>(rank))];
}

void Core::note_tried(std::span<const std::uint32_t> tried) noexcept {
  for (const std::uint32_t slot : tried) {
    if (trace_.tried_count == PickTrace::kTriedMax) return;
    trace_.tried[trace_.tried_count++] = slot;
  }
}

Ticket Core::issue(std::uint32_t index, Time now) noexcept {
  take_unit(index, now);
  return Ticket(this, index, now);
}

void Core::publish(std::uint32_t index) noexcept {
  if (board_ != nullptr && columns_[index] != Slot::kNone) {
    board_->publish(options_.worker, columns_[index], slots_[index].in_flight);
  }
}

void Core::sample(Slot& slot, Duration latency, Time now) noexcept {
  const auto ns = static_cast<double>(latency.ns());
  if (options_.policy.estimator == Estimator::kPeak) {
    slot.latency.add_peak(ns, now, model_.decay);
  } else {
    slot.latency.add_mean(ns, now, latency, model_.decay);
  }
  if (median_ticked_) return;
  // Before the first tick, newcomers are believed to be as good as the best answer so far.
  model_.median = median_known_ ? std::min(model_.median, ns) : ns;
  median_known_ = true;
}

bool Core::sample_if_higher(Slot& slot, Duration latency, Time now) noexcept {
  double known = model_.median;
  if (slot.latency.known()) {
    known = slot.latency.at(now, model_.median, model_.decay);
  } else if (!median_ticked_) {
    // The median is still the best answer of all: what fails a little slower must not begin there.
    known = std::max(known, static_cast<double>(options_.policy.prior.ns()));
  }
  if (static_cast<double>(latency.ns()) <= known) return false;
  if (options_.policy.estimator == Estimator::kPeak) {
    slot.latency.add_peak(static_cast<double>(latency.ns()), now, model_.decay);
  } else {
    slot.latency.add_mean(static_cast<double>(latency.ns()), now, latency, model_.decay);
  }
  return true;
}

std::int64_t Core::first_byte(std::uint32_t index, Time start, Time now) noexcept {
  last_ = now;
  Slot& slot = slots_[index];
  ++slot.answered;
  slot.start_sum -= static_cast<std::uint64_t>(start.ns());
  if (ejector_) ejector_->first_byte(index, start);
  const Duration latency = std::max(now - start, Duration());
  const bool sampled = slot.latency.known() && sample_if_higher(slot, latency, now);
  return sampled ? -2 - latency.ns() : latency.ns();
}

// `fresh`: the latency has not been sampled yet.
void Core::succeeded(std::uint32_t index, Duration latency, bool fresh, Time now) noexcept {
  Slot& slot = slots_[index];
  if (fresh && (wants_sample() || !slot.latency.known())) sample(slot, latency, now);
  add_outcome(index, true, window_at(now));
}

void Core::add_outcome(std::uint32_t index, bool success, std::uint8_t window) noexcept {
  SuccessWindows& windows = slots_[index].windows;
  if (windows.forgets(window) && windows.successes() != 0) {
    counters_[index][static_cast<std::size_t>(Outcome::kSuccess)] += windows.take_successes();
  }
  if (windows.add(success, window) && info_->uses_success) update_inverse(index);
}

// `fresh` as above. `waited`: there was no first byte.
void Core::take_outcome(std::uint32_t index, Outcome outcome, Duration latency, bool fresh,
                        bool waited, Time now) noexcept {
  if (outcome == Outcome::kSuccess) return succeeded(index, latency, fresh, now);
  if (outcome == Outcome::kRejected) return;
  Slot& slot = slots_[index];
  if (waited) sample_if_higher(slot, latency, now);
  if (outcome == Outcome::kCancelled) return;
  add_outcome(index, false, window_at(now));
}

void Core::succeed(std::uint32_t index, Time start, Time now) noexcept {
  Slot& slot = slots_[index];
  if (ends_with_care_ || !in_window(now) || !slot.windows.is_usual(window_) || slot.in_flight == 0)
      [[unlikely]] {
    return succeed_with_care(index, start, now);
  }
  if (wants_sample()) {
    const auto ns = static_cast<double>(std::max(now - start, Duration()).ns());
    if (!usual_sample_ || !slot.latency.add_usual_mean(ns, now, model_.decay)) [[unlikely]] {
      return succeed_with_care(index, start, now);
    }
  }
  last_ = now;
  ++view_.ended;
  --slot.in_flight;
  slot.start_sum -= static_cast<std::uint64_t>(start.ns());
  slot.windows.add_usual_success();
  counted(index);
}

// Nothing was changed yet.
[[gnu::noinline]] void Core::succeed_with_care(std::uint32_t index, Time start, Time now) noexcept {
  finish(index, start, kNoFirstByte, Outcome::kSuccess, now, Duration());
}

void Core::finish(std::uint32_t index, Time start, std::int64_t first_byte_ns, Outcome outcome,
                  Time now, Duration retry_after) noexcept {
  last_ = now;
  Slot& slot = slots_[index];
  EV_CHECK(slot.in_flight > 0, "a ticket was given back twice");
  --slot.in_flight;
  ++view_.ended;
  const bool waited = first_byte_ns == kNoFirstByte;
  if (waited) {
    slot.start_sum -= static_cast<std::uint64_t>(start.ns());
  } else {
    --slot.answered;
  }
  if (outcome != Outcome::kSuccess) ++counters_[index][static_cast<std::size_t>(outcome)];
  Duration latency = std::max(now - start, Duration());
  if (!waited) {
    latency = Duration::nanoseconds(first_byte_ns >= 0 ? first_byte_ns : -2 - first_byte_ns);
  }
  take_outcome(index, outcome, latency, waited || first_byte_ns >= 0, waited, now);
  if (ejector_) ejector_->finished(index, start, outcome, latency, now);
  if (outcome == Outcome::kConnectFailed || retry_after > Duration()) {
    push_back(index, outcome, retry_after, now);
  }
  counted(index);
  if (!has_strays()) return;
  if (columns_[index] == Slot::kNone && slot.in_flight == 0) {
    forget(index);
    note_care();
  }
  if (view_.in_flight() == 0 && self_ != nullptr) {
    const std::unique_ptr<Core> last_owner = std::move(self_);
  }
}

void Core::report(EndpointId id, const EndpointReport& report, Time now) noexcept {
  const auto found = index_.find(id);
  if (found != index_.end()) this->report(found->second, report, now);
}

void Core::report(std::uint32_t slot, const EndpointReport& report, Time now) noexcept {
  last_ = now;
  if (positions_[slot] == Slot::kNone) return;
  if (info_->takes_reports) policy_->reported(view_, slot, report, now);
  if (observers_ != nullptr) observers_->reported(view_, slot, report, now);
}

void Core::tick(Time now) {
  last_ = now;
  if (now >= median_due_) refresh_median(now);
  pass_bars(now);
  fold_elsewhere(kFoldPerTick);
}

// The lower median of what answered; of an evenly spread sample, moving on, when the pool is large.
void Core::refresh_median(Time now) {
  median_due_ = now + kMedianEvery;
  std::array<double, kMedianSample> values;
  std::size_t count = 0;
  const std::size_t n = view_.eligible.size();
  const std::size_t looks = std::min(n, kMedianSample);
  for (std::size_t i = 0; i < looks; ++i) {
    const Slot& slot = slots_[view_.eligible[(median_start_ + i * n / looks) % n]];
    if (slot.latency.known()) values[count++] = slot.latency.value();
  }
  ++median_start_;
  if (count == 0) return;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((count - 1) / 2);
  std::nth_element(values.begin(), middle, values.begin() + static_cast<std::ptrdiff_t>(count));
  model_.median = *middle;
  median_known_ = true;
  median_ticked_ = true;
  usual_sample_ = options_.policy.estimator == Estimator::kMean;
}

void Core::fold_elsewhere(std::size_t columns) {
  if (board_ == nullptr) return;
  const std::size_t n = by_column_.size();
  for (std::size_t i = 0; i < std::min(columns, n); ++i) {
    if (fold_next_ >= n) fold_next_ = 0;
    const std::uint32_t index = by_column_[fold_next_];
    const std::uint32_t elsewhere = board_->elsewhere(options_.worker, fold_next_);
    ++fold_next_;
    if (elsewhere == slots_[index].elsewhere) continue;
    slots_[index].elsewhere = elsewhere;
    changed(index);
  }
}

}  // namespace evener::balance_internal
