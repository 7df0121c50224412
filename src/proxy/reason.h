// Reason: why Evener answered a request itself, or ended it. One closed list for the evener-reason
// field, metrics and logs, so that the number of series never depends on traffic.
//
// Values only. Parse errors carry their own finer word in the field (http::reason_for); in metrics
// they are kBadRequest or kBadResponse.
#pragma once

#include <cstdint>
#include <string_view>

namespace evener::proxy {

enum class Reason : std::uint8_t {
  kNone,
  kBadRequest,        // 400, 414, 431, 501, 505: the request broke a rule or a limit
  kNoRoute,           // 404
  kHeaderTimeout,     // 408: the head did not arrive in time
  kBodyTimeout,       // 408: the body stalled
  kBodyTooLarge,      // 413
  kNoEndpoint,        // 503: the pool is empty or nobody in it can be picked
  kEndpointsFull,     // 503: all that can be picked hold as many requests as they may
  kNoDescriptors,     // 503: this process has none left
  kConnectRefused,    // 502
  kUnreachable,       // 502
  kEndpointReset,     // 502: the connection broke before a response
  kEndpointClosed,    // 502: it ended before a response
  kBadResponse,       // 502: the endpoint's answer is not HTTP, or over a limit
  kConnectTimeout,    // 504
  kFirstByteTimeout,  // 504
  kTotalTimeout,      // 504
  kClientGone,        // 499, logged and counted only: nobody is there to read it
  kTruncated,         // the endpoint's response ended early, after it had begun
};
inline constexpr std::size_t kReasons = 19;

std::string_view to_string(Reason reason);
// The status to answer with. REQUIRES: not kNone, kBadRequest or kTruncated.
int status_of(Reason reason);

}  // namespace evener::proxy
