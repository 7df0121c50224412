#include "sim/measures.h"

#include <cmath>

namespace evener::sim {

void TimeTally::merge(const TimeTally& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ns_ += other.sum_ns_;
  squares_ += other.squares_;
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

double TimeTally::variance_s2() const {
  if (count_ < 2) return 0;
  const auto n = static_cast<double>(count_);
  return std::max(0.0, (squares_ - sum_ns_ * sum_ns_ / n) / (n - 1)) * 1e-18;
}

double TimeTally::low_of(std::size_t bucket) {
  if (bucket < 2 * kSub) return static_cast<double>(bucket);
  const std::size_t shift = bucket / kSub - 1;
  return std::ldexp(static_cast<double>(bucket - shift * kSub), static_cast<int>(shift));
}

double TimeTally::quantile_s(double q) const {
  if (count_ == 0) return 0;
  const double rank = std::clamp(q, 0.0, 1.0) * static_cast<double>(count_);
  double below = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    if (buckets_[i] == 0) continue;
    const auto here = static_cast<double>(buckets_[i]);
    if (below + here >= rank) {
      const double low = low_of(i);
      const double high = std::min(low_of(i + 1), static_cast<double>(max_ns_));
      return (low + std::max(0.0, high - low) * (rank - below) / here) * 1e-9;
    }
    below += here;
  }
  return max_s();
}

double TimeTally::share_above(double s) const {
  if (count_ == 0) return 0;
  const double ns = std::max(0.0, s * 1e9);
  double above = 0;
  for (std::size_t i = kBuckets; i-- > 0;) {
    const auto here = static_cast<double>(buckets_[i]);
    const double low = low_of(i);
    if (low > ns) {
      above += here;
      continue;
    }
    const double width = low_of(i + 1) - low;
    above += here * std::max(0.0, low + width - ns) / width;
    break;
  }
  return above / static_cast<double>(count_);
}

void Course::close_part() {
  parts_.push_back(sum_ / static_cast<double>(each_));
  sum_ = 0;
  count_ = 0;
  if (parts_.size() < kPartsMost) return;
  for (std::size_t i = 0; i < kPartsMost / 2; ++i) {
    parts_[i] = (parts_[2 * i] + parts_[2 * i + 1]) / 2;
  }
  parts_.resize(kPartsMost / 2);
  each_ *= 2;
}

void QueueLevels::restart(Time now) {
  from_ = now;
  closed_ns_.clear();
  for (Level& level : levels_) {
    level.integral_ns = 0;
    level.since = now;
  }
}

void QueueLevels::close(Time now) {
  until_ = now;
  closed_ns_.clear();
  for (const Level& level : levels_) {
    const Time since = std::max(level.since, from_);
    closed_ns_.push_back(level.integral_ns + static_cast<double>((now - since).ns()) * level.count);
  }
}

double QueueLevels::tail(std::uint32_t k) const {
  if (k == 0) return 1;
  if (k >= closed_ns_.size() || until_ <= from_) return 0;
  return closed_ns_[k] / (static_cast<double>((until_ - from_).ns()) * servers_);
}

double QueueLevels::mean() const {
  double sum = 0;
  for (std::uint32_t k = 1; k < closed_ns_.size(); ++k) sum += tail(k);
  return sum;
}

std::uint32_t QueueLevels::longest() const {
  for (std::size_t k = closed_ns_.size(); k-- > 1;) {
    if (closed_ns_[k] > 0) return static_cast<std::uint32_t>(k);
  }
  return 0;
}

}  // namespace evener::sim
