// Roster: which servers balancers know, and the sets that say so.
//
// Owned by the fleet. Each change is a new EndpointSet; endpoint ids are server numbers.
#pragma once

#include <evener/endpoint.h>

#include <cstdint>
#include <vector>

#include "sim/fleet_options.h"

namespace evener::sim {

class Roster {
 public:
  // Those that some roll-out lets join are absent at first. REQUIRES: check(options) succeeds.
  explicit Roster(const FleetOptions& options);

  bool present(std::uint32_t server) const { return present_[server]; }
  void set_present(std::uint32_t server, bool present) { present_[server] = present; }
  // The set of those present. O(servers).
  EndpointSetPtr make();

  // One step of a roll-out: these servers at this time.
  struct Step {
    double at_s;
    bool join;
    double notice_s;
    std::vector<std::uint32_t> servers;
  };
  const std::vector<Step>& steps() const { return steps_; }

 private:
  std::vector<bool> present_;
  std::vector<float> weights_;
  std::vector<Step> steps_;
  std::uint32_t workers_;
  std::uint64_t version_ = 0;
};

}  // namespace evener::sim
