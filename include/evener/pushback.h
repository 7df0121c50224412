// Pushback: leaving an endpoint alone for as long as it asks, or briefly after it refused a
// connect.
//
// `Retry-After` and gRPC's pushback take an endpoint out of the choice for the time they name, up
// to `longest`; a refused connect, which sent nothing, for `refused`. Never all are out: at most
// `max_share` of the endpoints, and always fewer than there are; who would be one too many stays
// in. Values only; any thread. Source: RFC 9110 section 10.2.3, gRPC A6. linkerd honours up to 300
// s; ours is 60 s, because a mistaken hour then costs one request a minute to find out, and a true
// one costs no more.
#pragma once

#include <evener/error.h>
#include <evener/time.h>

#include <expected>

namespace evener {

struct PushbackSettings {
  Duration longest = Duration::seconds(60);  // zero: off; at most an hour
  Duration refused = Duration::seconds(1);   // zero: off; at most an hour
  double max_share = 0.8;                    // in [0, 1]

  bool operator==(const PushbackSettings&) const = default;
};

// Checks every range.
std::expected<void, Error> check_settings(const PushbackSettings& settings);

}  // namespace evener
