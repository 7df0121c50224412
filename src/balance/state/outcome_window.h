// OutcomeWindow: how many answers of each kind one endpoint gave in a sliding window, exactly.
//
// Ten buckets by time; the owner numbers them (now / (window / 10)). A bucket counts until its
// number is ten behind. Reads change nothing. Owned by one thread, no allocation. 128 bytes.
// Cost: add O(1) (at most ten stores after idling), sum ten loads.
#pragma once

#include <array>
#include <cstdint>

namespace evener {

struct OutcomeCounts {
  std::uint32_t good = 0;
  std::uint32_t bad = 0;
  std::uint32_t slow = 0;  // of the good

  std::uint32_t all() const { return good + bad; }
};

class OutcomeWindow {
 public:
  static constexpr std::int64_t kBuckets = 10;

  // A number before the newest counts as the newest.
  void add(std::int64_t bucket, bool good, bool slow) {
    if (bucket > newest_) turn(bucket);
    OutcomeCounts& counts = ring_[index(newest_)];
    ++(good ? counts.good : counts.bad);
    counts.slow += good && slow ? 1 : 0;
  }

  // Of the ten buckets that end with this one.
  OutcomeCounts sum(std::int64_t bucket) const {
    OutcomeCounts total;
    for (std::int64_t number = newest_; number > newest_ - kBuckets; --number) {
      if (number < 0 || number <= bucket - kBuckets) break;
      const OutcomeCounts& counts = ring_[index(number)];
      total.good += counts.good;
      total.bad += counts.bad;
      total.slow += counts.slow;
    }
    return total;
  }

  void clear() { *this = OutcomeWindow(); }

 private:
  static std::size_t index(std::int64_t number) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(number) % kBuckets);
  }

  void turn(std::int64_t bucket) {
    const std::int64_t steps = bucket - newest_ < kBuckets ? bucket - newest_ : kBuckets;
    for (std::int64_t i = 0; i < steps; ++i) ring_[index(bucket - i)] = {};
    newest_ = bucket;
  }

  std::array<OutcomeCounts, kBuckets> ring_;
  std::int64_t newest_ = 0;  // REQUIRES: bucket numbers are not negative
};

}  // namespace evener
