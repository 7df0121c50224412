// DemoEndpoints: the demo's own endpoints, on a thread of their own: four fast, one ten times
// slower, one that for a while answers 500 at once.
//
// Owner: the demo. Each endpoint serves a few requests at a time and queues the rest, with service
// times drawn from an exponential distribution. Their addresses are loopback with free ports.
#pragma once

#include <evener/rng.h>
#include <evener/time.h>

#include <memory>
#include <string>
#include <vector>

#include "io/address.h"
#include "service/loop_thread.h"

namespace evener::cli {

struct DemoEndpointSpec {
  std::string name;
  std::string what;  // for the table
  Duration mean;
  bool fails = false;
};
std::vector<DemoEndpointSpec> demo_endpoint_specs();

// The failing endpoint fails in [from, until) of every period, counted from the start.
struct DemoFailure {
  Duration period;
  Duration from;
  Duration until;
};

class DemoEndpoints {
 public:
  static std::expected<std::unique_ptr<DemoEndpoints>, std::string> start(
      std::vector<DemoEndpointSpec> specs, DemoFailure failure, std::uint64_t seed);
  ~DemoEndpoints();

  const std::vector<DemoEndpointSpec>& specs() const { return specs_; }
  const std::vector<io::Address>& addresses() const { return addresses_; }

 private:
  class One;

  DemoEndpoints(std::vector<DemoEndpointSpec> specs, DemoFailure failure);

  std::vector<DemoEndpointSpec> specs_;
  DemoFailure failure_;
  Time started_;
  std::vector<io::Address> addresses_;
  std::unique_ptr<service::LoopThread> thread_;
  std::vector<std::unique_ptr<One>> endpoints_;  // touched on the thread's loop only
};

}  // namespace evener::cli
