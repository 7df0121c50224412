// RetryBudget: how many further attempts (retries and hedges) a pool's requests may cause.
//
// A token bucket: each request earns `share` of an attempt, each further attempt costs one. Savings
// last for `window`: there are never more than the share of the requests of the last window (an
// earlier quiet hour does not pay for a storm). Beside it a floor for pools with little traffic:
// when fewer than `floor` attempts a second are made, one more is allowed though nothing was
// earned. So over any time
//
//     attempts <= (1 + share) x requests + share x requests of the window before + floor
//
// where the floor is spent once if the share is above it, else each second.
// One per pool and worker, owned by one thread. Cost: O(1), no allocation; 168 bytes.
// Source: Finagle's RetryBudget (20 %, 10 s) and Envoy's retry budget (20 %, at least 3). A floor
// of *concurrent* attempts, as Envoy has it, limits nothing when attempts fail at once; ours is a
// rate.
#pragma once

#include <evener/error.h>
#include <evener/time.h>

#include <array>
#include <cstdint>
#include <expected>

namespace evener {

struct RetryBudgetSettings {
  double share = 0.20;                      // of the requests, in [0, 10]
  double floor = 3;                         // attempts per second, in [0, 1,000,000]
  Duration window = Duration::seconds(10);  // 100 ms to an hour

  bool operator==(const RetryBudgetSettings&) const = default;
};

// Checks every range. Share and floor 0: no further attempts.
std::expected<void, Error> check_settings(const RetryBudgetSettings& settings);

class RetryBudget {
 public:
  // Of one of `workers` that share the pool: its part of the floor.
  // REQUIRES: check_settings(settings) succeeds; workers >= 1.
  explicit RetryBudget(const RetryBudgetSettings& settings, std::uint32_t workers = 1);

  // A request has come, its first attempt: earns.
  void request(Time now) noexcept;
  // May one more attempt be made? Taken if so.
  bool take(Time now) noexcept;
  // An attempt that was taken and then not made, since no endpoint was left: it is given back.
  void give_back() noexcept;

  // Attempts that could be taken at once now.
  double available(Time now) const noexcept;
  // Since the start.
  std::uint64_t taken() const { return taken_; }
  std::uint64_t refused() const { return refused_; }

 private:
  static constexpr std::int64_t kBuckets = 10;
  static constexpr std::int64_t kAttempt = 1'000'000;  // savings are counted in millionths

  void advance(Time now) noexcept;
  void cap() noexcept { saved_ = saved_ < share_ * recent_ ? saved_ : share_ * recent_; }

  std::int64_t share_;      // millionths per request
  double floor_per_ns_;     // attempts
  double floor_max_;        // attempts that the floor allows at once
  std::int64_t bucket_ns_;  // a tenth of the window
  std::array<std::uint32_t, kBuckets> requests_{};
  std::int64_t bucket_ = 0;  // number of the present one
  std::int64_t recent_ = 0;  // sum of requests_
  std::int64_t saved_ = 0;   // millionths
  double floor_left_;
  Time last_;
  std::uint64_t taken_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace evener
