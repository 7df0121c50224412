// Measures: times in system, queue lengths and the course of one run.
//
// TimeTally: a histogram with 128 buckets per power of two and straight lines between them, so a
// quantile is within 0.4 % and usually much nearer; the mean is exact. QueueLevels: the share of
// time and servers with at least k requests. Course: a sequence as the means of its equal parts,
// few however long it is, for telling the warm-up. Owned by one thread. Cost: O(1) each, a few ns.
#pragma once

#include <evener/time.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace evener::sim {

class TimeTally {
 public:
  TimeTally() : buckets_(kBuckets) {}

  void record(Duration value) {
    const std::int64_t ns = value.ns() < 0 ? 0 : value.ns();
    ++buckets_[bucket_of(static_cast<std::uint64_t>(ns))];
    ++count_;
    const auto x = static_cast<double>(ns);
    sum_ns_ += x;
    squares_ += x * x;
    max_ns_ = std::max(max_ns_, ns);
  }
  void merge(const TimeTally& other);

  std::uint64_t count() const { return count_; }
  // 0 when empty, as the next three.
  double mean_s() const { return count_ == 0 ? 0 : sum_ns_ * 1e-9 / static_cast<double>(count_); }
  double variance_s2() const;
  double max_s() const { return static_cast<double>(max_ns_) * 1e-9; }
  // q in [0, 1].
  double quantile_s(double q) const;
  // Share of values above `s`.
  double share_above(double s) const;

 private:
  static constexpr int kSubBits = 7;
  static constexpr std::size_t kSub = std::size_t{1} << kSubBits;
  static constexpr std::size_t kBuckets = (64 - kSubBits) * kSub;

  static std::size_t bucket_of(std::uint64_t ns) {
    if (ns < kSub) return ns;
    const auto shift = static_cast<int>(std::bit_width(ns)) - 1 - kSubBits;
    return static_cast<std::size_t>(shift) * kSub + (ns >> shift);
  }
  static double low_of(std::size_t bucket);

  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  double sum_ns_ = 0;
  double squares_ = 0;
  std::int64_t max_ns_ = 0;
};

class Course {
 public:
  // Between half of it and all of it, once there were so many values.
  static constexpr std::size_t kPartsMost = 2048;

  void add(double value) {
    sum_ += value;
    if (++count_ == each_) [[unlikely]]
      close_part();
  }
  // What is in no full part yet is left out.
  const std::vector<double>& parts() const { return parts_; }

 private:
  void close_part();

  std::vector<double> parts_;
  double sum_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t each_ = 1;
};

// Counts servers by level: level k holds those with at least k requests.
class QueueLevels {
 public:
  explicit QueueLevels(std::uint32_t servers) : servers_(servers), levels_(16) {}

  // A server went from `to` - 1 to `to` requests.
  void up(std::uint32_t to, Time now) {
    if (to >= levels_.size()) [[unlikely]]
      levels_.resize(std::max<std::size_t>(to + 1, levels_.size() * 2));
    Level& level = levels_[to];
    level.integral_ns += static_cast<double>((now - level.since).ns()) * level.count;
    level.since = now;
    ++level.count;
  }
  // A server went from `from` to `from` - 1.
  void down(std::uint32_t from, Time now) {
    Level& level = levels_[from];
    level.integral_ns += static_cast<double>((now - level.since).ns()) * level.count;
    level.since = now;
    --level.count;
  }
  // Forgets the past: measures from now on.
  void restart(Time now);
  // Ends measuring; what comes later does not count.
  void close(Time now);

  // Share of servers, over time, with at least k requests. REQUIRES: closed.
  double tail(std::uint32_t k) const;
  // Mean requests per server. REQUIRES: closed.
  double mean() const;
  // Most requests that any server held for some time since restart.
  std::uint32_t longest() const;

 private:
  struct Level {
    double integral_ns = 0;
    Time since;
    double count = 0;
  };

  double servers_;
  std::vector<Level> levels_;
  std::vector<double> closed_ns_;
  Time from_;
  Time until_;
};

}  // namespace evener::sim
