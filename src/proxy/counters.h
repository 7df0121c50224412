// Counters: what one worker has done, for metrics. Plain numbers with one writer.
//
// Owner: the worker. Thread: the worker's; others get a copy by Loop::post. Bounded: no series
// depends on what clients send.
#pragma once

#include <array>
#include <cstdint>

#include "base/histogram.h"
#include "proxy/reason.h"

namespace evener::proxy {

struct Counters {
  std::uint64_t connections_accepted = 0;
  std::uint64_t connections_open = 0;
  std::uint64_t requests = 0;
  std::uint64_t requests_open = 0;
  std::array<std::uint64_t, 6> responses_by_class{};  // index: status / 100; 0 = none was sent
  std::array<std::uint64_t, kReasons> reasons{};      // indexed by Reason
  std::uint64_t connects = 0;
  std::uint64_t connect_failures = 0;
  std::uint64_t reuses = 0;
  std::uint64_t retries = 0;
  std::uint64_t alias_fields_dropped = 0;  // X_Forwarded_For and the like (case F39)
  std::uint64_t client_bytes_in = 0;
  std::uint64_t client_bytes_out = 0;

  void count(Reason reason) { ++reasons[static_cast<std::size_t>(reason)]; }
};

// What one worker knows of one pool's traffic, besides its balancer's counts.
struct PoolCounters {
  Histogram first_byte;  // pick to response head, per request
  Histogram total;       // request head to the response's last byte
  std::uint64_t requests = 0;
};

}  // namespace evener::proxy
