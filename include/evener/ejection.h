// Ejection (outlier detection): when an endpoint is taken out of the choice for what it answered.
//
// Four detectors; any of them ejects. Failures in a row count as they come; the other three look at
// exact counts of a sliding window, ten times per window. An outcome stays in the window for
// between 9/10 and 10/10 of its length (it is counted in ten buckets). Only outcomes that are the
// endpoint's doing count: what was refused locally or given up by the client changes nothing. A
// refused connect is a failure like any other, beside what pushback makes of it (pushback.h).
//
// An ejection lasts base x 2^level, at most `longest`, shortened at random by up to `jitter`. The
// level rises by one with each ejection and falls by one for each `base` spent healthy since. Then
// one request is let through; its success ends the ejection, its failure or silence begins the
// next.
//
// At most `max_share` of the endpoints are out, the next one counted; one may always be out when
// there are two or more; the last usable endpoint never is. What one Balancer (worker) sees decides
// for that Balancer. Values only; any thread.
// Source: gRPC A50 (numbers of the success and failure detectors; the margin and least failures are
// ours, since A50 alone ejects an endpoint for one failure in a hundred), Envoy's outlier
// detection, Finagle's failure accrual (one trial request).
#pragma once

#include <evener/error.h>
#include <evener/time.h>

#include <cstdint>
#include <expected>

namespace evener {

struct EjectionSettings {
  bool enabled = true;  // false: nothing is ever ejected

  // Failures in a row; 0: off. At most 1,000,000.
  std::uint32_t consecutive = 5;

  Duration window = Duration::seconds(10);  // 100 ms to an hour

  // More than this share of at least so many requests failed; 1: off.
  double failure_share = 0.85;
  std::uint32_t failure_requests = 50;
  std::uint32_t failure_endpoints = 1;  // that had so many requests

  // Successes below the mean of the endpoints by so many standard deviations (0: off), by the
  // margin as well, and with at least so many failures, among those with enough requests. Blind
  // when more than 22 % of the endpoints are bad: that is what failure_share is for.
  double success_deviations = 1.9;
  double success_margin = 0.05;
  std::uint32_t success_failures = 5;
  std::uint32_t success_requests = 100;
  std::uint32_t success_endpoints = 5;

  // More than half of at least so many answers took longer than this multiple of the pool's median,
  // and longer than slow_floor. 0: off, the default: the latency in the cost already leaves a slow
  // endpoint little, and in a mixed pool slow is not broken.
  double slow_multiple = 0;
  Duration slow_floor = Duration::milliseconds(10);
  std::uint32_t slow_requests = 100;

  Duration base = Duration::seconds(30);      // 1 ms to a day
  Duration longest = Duration::seconds(300);  // at least base, at most a day
  double jitter = 0.2;                        // in [0, 1]
  double max_share = 0.5;                     // in [0, 1]
  // A trial without an answer for so long has failed. 1 ms to an hour.
  Duration trial_timeout = Duration::seconds(10);

  bool operator==(const EjectionSettings&) const = default;
};

// Checks every range.
std::expected<void, Error> check_settings(const EjectionSettings& settings);

}  // namespace evener
