// Trials: variants of our default that were tried against it: contenders of the lab, not products.
//
// Each is the real Balancer with a CustomPolicy (evener/custom_policy.h) in place of peak_ewma
// over all endpoints, so that a scoreboard tells what a change is worth; docs/adr/0007
// has the figures. Immutable table, any thread; a chooser belongs to one simulated balancer.
#pragma once

#include <span>
#include <string_view>

#include "sim/chooser.h"

namespace evener::lab {

struct Trial {
  std::string_view name;
  std::string_view summary;
  sim::ChooserFactory (*make)();
};

// Sorted by name.
std::span<const Trial> trials();
// Null when there is none of that name.
const Trial* find_trial(std::string_view name);

}  // namespace evener::lab
