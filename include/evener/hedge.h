// HedgeDelay: how long to wait for an answer before asking a second endpoint as well.
//
// The delay is an observed percentile of the pool's latencies over the present and the last window
// (between one and two of `window`), within [floor, longest]; unknown until `samples` latencies
// have been seen. Whether a hedge may be sent is the RetryBudget's matter.
//
// Latencies go into buckets a sixteenth of their power of two wide: the delay is never below the
// observed percentile and at most 6.3 % above it (of latencies from 1 us to 134 s; others count as
// these). It is worked out anew 20 times per window.
//
// Attempts that were cancelled because another one won must be told too, with the time they had
// waited. Left out, the slow ones are missing from the sample, the percentile sinks, and more
// hedges cut off more of them.
//
// One per pool and worker, owned by one thread. Cost: record O(1), delay O(1) but for the 20 times
// (under 1 us); allocates once, 3.5 KB.
// Source: Dean and Barroso, The Tail at Scale, 2013: a hedge after the 95th percentile.
#pragma once

#include <evener/error.h>
#include <evener/time.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <vector>

namespace evener {

struct HedgeSettings {
  double percentile = 0.95;                    // in [0.5, 0.9999]
  Duration floor = Duration::milliseconds(1);  // zero to an hour
  Duration longest = Duration::seconds(10);    // at least floor, at most an hour
  std::uint32_t samples = 100;                 // 1 to 1,000,000
  Duration window = Duration::seconds(30);     // 1 s to an hour

  bool operator==(const HedgeSettings&) const = default;
};

// Checks every range.
std::expected<void, Error> check_settings(const HedgeSettings& settings);

class HedgeDelay {
 public:
  // REQUIRES: check_settings(settings) succeeds.
  explicit HedgeDelay(const HedgeSettings& settings);

  // An answer's first byte came, or an attempt was cancelled, after `latency`. Not for attempts
  // that failed or were never sent. Negative counts as none.
  void record(Duration latency, Time now) noexcept;
  // Nothing while too little is known: send no hedge.
  std::optional<Duration> delay(Time now) noexcept;

 private:
  void turn(Time now) noexcept;
  void refresh(Time now) noexcept;

  HedgeSettings settings_;
  std::vector<std::uint32_t> counts_;  // of two windows in turn, bucket by bucket
  std::uint64_t totals_[2] = {};
  std::int64_t window_ = 0;  // number of the present one
  Time due_;                 // of the next refresh
  std::optional<Duration> delay_;
};

}  // namespace evener
