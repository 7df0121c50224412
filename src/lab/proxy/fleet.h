// run_fleet: one whole run: proxies, endpoints and clients on a simulated network, with its faults.
//
// The real Worker, parser, connection pool and Balancer, over sim/net's engine; nothing in them
// knows. First things go wrong as the plan says, then everything heals, then every request must
// succeed, then all is taken down and must be back home. The result is a function of the plan.
// One thread per run. Cost: about 20 us of processor per request.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/proxy/ledger.h"
#include "lab/proxy/plan.h"

namespace evener::lab::fleet {

struct FleetResult {
  std::uint64_t seed = 0;
  std::vector<std::string> violations;
  LedgerCounts counts;
  double seconds = 0;             // simulated
  std::uint64_t connections = 0;  // made in all
  std::uint64_t events = 0;       // of the world
  std::uint64_t digest = 0;       // of all that happened on the network
  std::uint64_t final_draw = 0;   // of every generator, folded
};

// `trace`: called with each line of the timeline, when set.
FleetResult run_fleet(const FleetPlan& plan,
                      const std::function<void(std::string_view)>& trace = {});

}  // namespace evener::lab::fleet
