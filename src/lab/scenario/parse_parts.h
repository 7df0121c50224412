// The parts of a scenario's file, one function for each key that has something of its own.
//
// Internal to lab/scenario. Each says what is wrong to the reader and leaves the default in place.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "config/reader.h"
#include "sim/fleet_options.h"

namespace evener::lab {

// Seconds. `least` <= value <= `most`.
bool read_seconds(config::Reader& reader, const config::Node& node, std::string_view what,
                  double least, double most, double& out);
bool read_number(config::Reader& reader, const config::Node& node, std::string_view what,
                 double least, double most, double& out);
bool read_flag(config::Reader& reader, const config::Node& node, std::string_view what, bool& out);
bool read_law(config::Reader& reader, const config::Node& node, std::string_view what,
              sim::Distribution& out);
// "3", "0-4", "[1, 3-5]", "all"; REQUIRES: servers > 0.
void read_servers(config::Reader& reader, const config::Node& node, std::string_view what,
                  std::uint32_t servers, std::vector<std::uint32_t>& out);

sim::ServerGroup read_group(config::Reader& reader, const config::Node& node);
void read_faults(config::Reader& reader, const config::Node& node, std::uint32_t servers,
                 std::vector<sim::Fault>& out);
void read_rollouts(config::Reader& reader, const config::Node& node, std::uint32_t servers,
                   std::vector<sim::Rollout>& out);
void read_retry(config::Reader& reader, const config::Node& node, sim::RetrySettings& out);
void read_hedge(config::Reader& reader, const config::Node& node, sim::HedgeOptions& out);
void read_balancers(config::Reader& reader, const config::Node& node, sim::FleetOptions& out);
// `load` and `rate` apart: `loads` is filled for the one, arrivals.rate set for the other.
void read_arrivals(config::Reader& reader, const config::Node& node, sim::Arrivals& out,
                   std::vector<double>& loads);

// Longest time that a file may name, s.
inline constexpr double kLongest = 86'400;

}  // namespace evener::lab
