#include "base/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace evener {
namespace {

std::uint64_t add_saturating(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b
             ? std::numeric_limits<std::uint64_t>::max()
             : a + b;
}

}  // namespace

// The first two powers of two worth of values have a bucket each; from there on, the bits below
// the leading one pick among kSub buckets.
std::size_t Histogram::bucket_of(std::uint64_t ns) {
  if (ns < 2 * kSub) return static_cast<std::size_t>(ns);
  const auto shift = static_cast<std::size_t>(std::bit_width(ns) - 1 - kSubBits);
  return (shift << kSubBits) + static_cast<std::size_t>(ns >> shift);
}

std::uint64_t Histogram::middle_of(std::size_t bucket) {
  if (bucket < 2 * kSub) return bucket;
  const std::size_t shift = (bucket >> kSubBits) - 1;
  const std::uint64_t low = static_cast<std::uint64_t>(bucket - (shift << kSubBits)) << shift;
  return low + (std::uint64_t{1} << shift) / 2;
}

void Histogram::record(Duration value, std::uint64_t times) {
  if (times == 0) return;
  value = std::max(value, Duration());
  std::uint64_t& cell = buckets_[bucket_of(static_cast<std::uint64_t>(value.ns()))];
  cell = add_saturating(cell, times);
  count_ = add_saturating(count_, times);
  sum_ns_ += static_cast<double>(value.ns()) * static_cast<double>(times);
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) {
    buckets_[i] = add_saturating(buckets_[i], other.buckets_[i]);
  }
  count_ = add_saturating(count_, other.count_);
  sum_ns_ += other.sum_ns_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

Duration Histogram::mean() const {
  if (count_ == 0) return Duration();
  const double mean = sum_ns_ / static_cast<double>(count_);
  if (mean >= 9.2e18) return Duration::max();
  return Duration::nanoseconds(static_cast<std::int64_t>(mean));
}

Duration Histogram::quantile(double q) const {
  if (count_ == 0) return Duration();
  if (!(q < 1)) return max_;
  const double wanted = std::ceil(std::max(q, 0.0) * static_cast<double>(count_));
  const auto rank = std::max<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen = add_saturating(seen, buckets_[i]);
    if (seen < rank) continue;
    const Duration middle = Duration::nanoseconds(static_cast<std::int64_t>(middle_of(i)));
    return std::clamp(middle, min_, max_);
  }
  return max_;
}

}  // namespace evener
