// The zoo: other balancers' rules as choosers for the simulator, to measure ours against.
//
// Each is written anew from the formulas and defaults that its project publishes or that were read
// there, at the version in `source`; none is a port. `summary` says what is in it, `source` where
// it comes from; what a rule leaves out is in the header of its file. A peer's own ejection of
// failing endpoints is in only where it is on by default and part of the rule; layers around a
// balancer (breakers, outlier detection, failure accrual, active checks) are not. Time to first
// byte is the latency, the simulator having no other. Immutable; any thread.
#pragma once

#include <span>
#include <string_view>

#include "sim/chooser.h"

namespace evener::lab {

struct PeerRule {
  std::string_view name;     // "envoy_least_request"
  std::string_view summary;  // one line: the rule with its defaults
  std::string_view source;   // project, file or paper, version
  sim::ChooserFactory (*make)() = nullptr;
  // It reads what servers say of themselves (FleetOptions::reports), and is poor without.
  bool needs_reports = false;
};

// In alphabetical order.
std::span<const PeerRule> peer_rules();
// The rule of this name, or nullptr.
const PeerRule* find_peer(std::string_view name);

}  // namespace evener::lab
