// DemoLoad: an open-loop load on one address: requests start when a Poisson process says, whether
// or not earlier ones were answered, and latency counts from the intended start.
//
// Owner: the demo, on a thread of its own. Bounded: at most kOutstandingMax requests at a time;
// what would be more is counted as not sent.
#pragma once

#include <evener/rng.h>

#include <memory>

#include "base/histogram.h"
#include "http/client.h"
#include "service/loop_thread.h"

namespace evener::cli {

struct LoadStats {
  std::uint64_t sent = 0;
  std::uint64_t succeeded = 0;  // answered below 500
  std::uint64_t failed = 0;     // answered 500 or above
  std::uint64_t broken = 0;     // no answer
  std::uint64_t not_sent = 0;   // too many were outstanding
  std::uint64_t outstanding = 0;
  Histogram latency;  // of those answered
};

class DemoLoad {
 public:
  static constexpr std::uint64_t kOutstandingMax = 2000;

  static std::expected<std::unique_ptr<DemoLoad>, std::string> start(const io::Address& target,
                                                                     double per_second,
                                                                     std::uint64_t seed);
  ~DemoLoad();

  LoadStats stats();
  // No new requests; waits a little for those outstanding.
  void stop();

 private:
  class Generator;
  DemoLoad() = default;

  std::unique_ptr<service::LoopThread> thread_;
  std::unique_ptr<Generator> generator_;  // touched on the thread's loop only
};

}  // namespace evener::cli
