#include "lab/scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace evener::lab {

sim::FleetOptions options_at(const Scenario& scenario, std::size_t load, std::uint64_t seed) {
  sim::FleetOptions options = scenario.fleet;
  options.seed = seed;
  if (!scenario.loads.empty()) options.arrivals.rate *= scenario.loads.at(load);
  return options;
}

std::string title(const Scenario& scenario, std::size_t load) {
  if (scenario.loads.empty()) return scenario.name;
  return fmt::format("{} at {:g}", scenario.name, scenario.loads.at(load));
}

std::uint32_t scaled_runs(const Scenario& scenario, double scale) {
  return static_cast<std::uint32_t>(std::max(1.0, std::round(scenario.runs * scale)));
}

}  // namespace evener::lab
