// Scenario: a situation in which policies are compared: servers, balancers, traffic, faults, an
// end.
//
// Read from a YAML file (docs/scenarios.md, scenarios/scenario.schema.json). A value: it holds
// everything of a simulation but the chooser and the seed. Any thread may read one.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "config/parse.h"
#include "sim/fleet_options.h"

namespace evener::lab {

struct Scenario {
  std::string name;   // "slow-one": lower case, digits, '-'; unique on a scoreboard
  std::string about;  // one line: what happens, and what a good policy does
  // Without chooser and seed; arrivals at a load of 1, if `loads` are given.
  sim::FleetOptions fleet;
  // Of the capacity of all servers, each a column of the scoreboard; empty: arrivals as they are.
  std::vector<double> loads;
  double capacity = 0;  // calls per second that all servers can do at once, when all is well
  std::uint32_t runs = 4;
  // A call that failed counts as one that took so long.
  Duration error_time = Duration::seconds(1);
  // First come first served, all the same, nothing goes wrong: a central queue bounds all policies.
  bool central_queue_bounds = false;
  // Nothing changes on purpose while it runs, so that it should settle.
  bool steady = false;
};

// The scenario at one of its loads (0 if it has none). The same options for the same arguments.
// REQUIRES: load < max(1, loads.size()).
sim::FleetOptions options_at(const Scenario& scenario, std::size_t load, std::uint64_t seed);
// "slow-one at 0.7"; the bare name without loads.
std::string title(const Scenario& scenario, std::size_t load);

// Everything that is wrong, each with its line; also what would never end.
std::expected<Scenario, std::vector<config::Diagnostic>> parse_scenario(std::string_view yaml,
                                                                        std::string_view file);

// What a shorter or longer look at it would be: times, rates and faults stay, runs are multiplied.
std::uint32_t scaled_runs(const Scenario& scenario, double scale);

}  // namespace evener::lab
