#include <evener/hedge.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "balance/state/range_check.h"

namespace evener {
namespace {

constexpr int kSubBits = 4;
constexpr std::size_t kSub = std::size_t{1} << kSubBits;
constexpr std::uint64_t kLeast = 1024;                         // ns
constexpr std::uint64_t kMost = (std::uint64_t{1} << 37) - 1;  // 137 s
constexpr std::size_t kBuckets = (37 - 10) * kSub;
constexpr int kRefreshes = 20;

std::size_t bucket_of(Duration latency) {
  const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(latency.ns(), 0));
  const std::uint64_t value = std::clamp(ns, kLeast, kMost);
  const int power = static_cast<int>(std::bit_width(value)) - 1;
  const std::size_t sub = static_cast<std::size_t>(value >> (power - kSubBits)) - kSub;
  return static_cast<std::size_t>(power - 10) * kSub + sub;
}

// The largest value of the bucket.
Duration upper_edge(std::size_t bucket) {
  const int power = static_cast<int>(bucket / kSub) + 10;
  const std::uint64_t next = (kSub + bucket % kSub + 1) << (power - kSubBits);
  return Duration::nanoseconds(static_cast<std::int64_t>(next) - 1);
}

}  // namespace

std::expected<void, Error> check_settings(const HedgeSettings& settings) {
  constexpr Duration kHour = Duration::seconds(3600);
  return RangeCheck("hedge")
      .number("percentile", settings.percentile, 0.5, 0.9999)
      .duration("floor", settings.floor, Duration(), kHour)
      .duration("longest", settings.longest, settings.floor, kHour)
      .number("samples", settings.samples, 1, 1e6)
      .duration("window", settings.window, Duration::seconds(1), kHour)
      .result();
}

HedgeDelay::HedgeDelay(const HedgeSettings& settings)
    : settings_(settings), counts_(2 * kBuckets) {}

void HedgeDelay::turn(Time now) noexcept {
  const std::int64_t window = now.ns() / settings_.window.ns();
  const std::int64_t steps = std::min<std::int64_t>(window - window_, 2);
  for (std::int64_t i = 0; i < steps; ++i) {
    const auto half = static_cast<std::size_t>((window - i) & 1);
    std::fill_n(counts_.begin() + static_cast<std::ptrdiff_t>(half * kBuckets), kBuckets, 0);
    totals_[half] = 0;
  }
  window_ = std::max(window_, window);
}

void HedgeDelay::record(Duration latency, Time now) noexcept {
  if (now >= due_) refresh(now);
  const auto half = static_cast<std::size_t>(window_ & 1);
  ++counts_[half * kBuckets + bucket_of(latency)];
  ++totals_[half];
  if (!delay_ && totals_[0] + totals_[1] >= settings_.samples) refresh(now);
}

std::optional<Duration> HedgeDelay::delay(Time now) noexcept {
  if (now >= due_) refresh(now);
  return delay_;
}

void HedgeDelay::refresh(Time now) noexcept {
  turn(now);
  due_ = now + settings_.window / kRefreshes;
  delay_.reset();
  const std::uint64_t total = totals_[0] + totals_[1];
  if (total < settings_.samples) return;
  const auto rank =
      static_cast<std::uint64_t>(std::ceil(settings_.percentile * static_cast<double>(total)));
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  for (; bucket + 1 < kBuckets; ++bucket) {
    seen += std::uint64_t{counts_[bucket]} + counts_[kBuckets + bucket];
    if (seen >= rank) break;
  }
  delay_ = std::clamp(upper_edge(bucket), settings_.floor, settings_.longest);
}

}  // namespace evener
