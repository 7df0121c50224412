#include <evener/retry_budget.h>

#include <algorithm>
#include <cmath>

#include "balance/state/range_check.h"

namespace evener {

std::expected<void, Error> check_settings(const RetryBudgetSettings& settings) {
  return RangeCheck("retry budget")
      .number("share", settings.share, 0, 10)
      .number("floor", settings.floor, 0, 1e6)
      .duration("window", settings.window, Duration::milliseconds(100), Duration::seconds(3600))
      .result();
}

RetryBudget::RetryBudget(const RetryBudgetSettings& settings, std::uint32_t workers)
    : share_(std::llround(settings.share * static_cast<double>(kAttempt))),
      floor_per_ns_(settings.floor / workers * 1e-9),
      floor_max_(settings.floor > 0 ? std::max(settings.floor / workers, 1.0) : 0),
      bucket_ns_((settings.window / kBuckets).ns()),
      floor_left_(floor_max_) {}

void RetryBudget::advance(Time now) noexcept {
  if (now <= last_) return;
  floor_left_ =
      std::min(floor_left_ + static_cast<double>((now - last_).ns()) * floor_per_ns_, floor_max_);
  last_ = now;
  const std::int64_t bucket = now.ns() / bucket_ns_;
  const std::int64_t steps = std::min(bucket - bucket_, kBuckets);
  if (steps == 0) return;
  for (std::int64_t i = 0; i < steps; ++i) {
    std::uint32_t& oldest = requests_[static_cast<std::size_t>((bucket - i) % kBuckets)];
    recent_ -= oldest;
    oldest = 0;
  }
  bucket_ = bucket;
  cap();
}

void RetryBudget::request(Time now) noexcept {
  advance(now);
  ++requests_[static_cast<std::size_t>(bucket_ % kBuckets)];
  ++recent_;
  saved_ += share_;
  cap();
}

bool RetryBudget::take(Time now) noexcept {
  advance(now);
  const bool saved = saved_ >= kAttempt;
  if (!saved && floor_left_ < 1) {
    ++refused_;
    return false;
  }
  if (saved) saved_ -= kAttempt;
  // Whoever pays, it is one of the attempts that the floor allows: the two do not add up.
  floor_left_ = std::max(floor_left_ - 1, 0.0);
  ++taken_;
  return true;
}

void RetryBudget::give_back() noexcept {
  --taken_;
  saved_ += kAttempt;
  cap();
}

double RetryBudget::available(Time now) const noexcept {
  RetryBudget then = *this;
  then.advance(now);
  return std::max(static_cast<double>(then.saved_) / static_cast<double>(kAttempt),
                  then.floor_left_);
}

}  // namespace evener
