// Warm-up (slow start): how an endpoint that has just become usable gets its full share.
//
// Over `window` its weight counts only in part, from `floor` up to 1:
//
//     raw(t) = floor + (1 - floor) * (t / window)^(1 / aggression)      factor = raw / raw of the
//                                                                       longest usable endpoint
//
// The clock starts at the moment of becoming usable: new, back up, or back from ejection. It needs
// no traffic to advance. Because factors are relative to the longest usable endpoint, they are all
// 1 when all are equally new (at the start, or after an outage of everything), and nobody is held
// back for the sake of others that are as cold. Values only; any thread.
// Source: gRPC A100 and Envoy's slow start (max(floor, ...), whose curve stays flat at first; ours
// rises from the first moment); HAProxy's slowstart, which is off at the start too.
#pragma once

#include <evener/error.h>
#include <evener/time.h>

#include <expected>

namespace evener {

struct WarmUpSettings {
  Duration window = Duration::seconds(30);  // zero: off; at most a day
  double floor = 0.10;                      // share at the start, in [0.01, 1]; 1: off
  double aggression = 1;  // 1: a straight line; larger: faster at first; in [1, 16]

  bool operator==(const WarmUpSettings&) const = default;
};

// Checks every range. Below 1, aggression would let a share fall while its endpoint warms up.
std::expected<void, Error> check_settings(const WarmUpSettings& settings);

}  // namespace evener
