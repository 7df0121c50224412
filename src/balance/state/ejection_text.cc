#include <evener/ejection.h>

#include "balance/state/duration_text.h"
#include "balance/state/ejector.h"
#include "balance/state/range_check.h"

namespace evener {
namespace {

std::string cause(const EjectionReason& reason) {
  const std::string count = std::to_string(reason.count);
  const std::string share = count + " of " + std::to_string(reason.of);
  switch (reason.cause) {
    case EjectionCause::kNone:
      break;
    case EjectionCause::kConsecutive:
      return " after " + count + " failures";
    case EjectionCause::kFailureShare:
      return " after " + share + " requests failed";
    case EjectionCause::kSuccessRate:
      return " after " + share + " requests failed, far more than elsewhere";
    case EjectionCause::kSlow:
      return " after " + share + " answers were slow";
    case EjectionCause::kTrialFailed:
      return " after its trial failed";
    case EjectionCause::kTrialTimedOut:
      return " after its trial timed out";
  }
  return {};
}

}  // namespace

std::expected<void, Error> check_settings(const EjectionSettings& settings) {
  constexpr Duration kMs = Duration::milliseconds(1);
  constexpr Duration kHour = Duration::seconds(3600);
  constexpr Duration kDay = Duration::seconds(86'400);
  constexpr double kCountMax = 1e6;
  return RangeCheck("ejection")
      .number("consecutive", settings.consecutive, 0, kCountMax)
      .duration("window", settings.window, kMs * 100, kHour)
      .number("failure_share", settings.failure_share, 0, 1)
      .number("failure_requests", settings.failure_requests, 1, kCountMax)
      .number("failure_endpoints", settings.failure_endpoints, 0, kCountMax)
      .number("success_deviations", settings.success_deviations, 0, 100)
      .number("success_margin", settings.success_margin, 0, 1)
      .number("success_failures", settings.success_failures, 0, kCountMax)
      .number("success_requests", settings.success_requests, 1, kCountMax)
      .number("success_endpoints", settings.success_endpoints, 0, kCountMax)
      .number("slow_multiple", settings.slow_multiple, 0, 1e6)
      .duration("slow_floor", settings.slow_floor, Duration(), kHour)
      .number("slow_requests", settings.slow_requests, 1, kCountMax)
      .duration("base", settings.base, kMs, kDay)
      .duration("longest", settings.longest, settings.base, kDay)
      .number("jitter", settings.jitter, 0, 1)
      .number("max_share", settings.max_share, 0, 1)
      .duration("trial_timeout", settings.trial_timeout, kMs, kHour)
      .result();
}

std::string Ejector::reason(std::uint32_t slot, Time now) const {
  const Host& host = hosts_[slot];
  switch (host.state) {
    case State::kIn:
      break;
    case State::kOut:
      return "ejected for another " + duration_text(host.until - now) + cause(host.reason);
    case State::kHalfOpen:
      return "ejected" + cause(host.reason) + "; waits for a trial request";
    case State::kTrial:
      return "ejected" + cause(host.reason) + "; its trial is under way";
  }
  return {};
}

}  // namespace evener
