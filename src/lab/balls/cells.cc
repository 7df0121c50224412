#include "lab/balls/cells.h"

#include <algorithm>
#include <numeric>

namespace evener::lab::balls {

Cells lean_fullest(std::size_t n, const Rule& rule) {
  return [n, rule](Rng& rng) -> Sample {
    std::vector<std::uint8_t> bins(n);
    place<std::uint8_t>(bins, n, rule, rng);
    return {static_cast<double>(most_loaded<std::uint8_t>(bins))};
  };
}

Cells real_fullest(const EndpointSetPtr& set, const PolicySettings& policy) {
  return [set, policy](Rng& rng) -> Sample {
    const std::vector<std::uint32_t> loads = place_real(set, policy, set->size(), rng);
    const auto half = loads.begin() + static_cast<std::ptrdiff_t>(loads.size() / 2);
    const double low = std::accumulate(loads.begin(), half, 0.0);
    return {static_cast<double>(std::ranges::max(loads)), low / static_cast<double>(set->size())};
  };
}

Cells lean_gap(std::size_t n, std::uint64_t each, const Rule& rule) {
  return [n, each, rule](Rng& rng) -> Sample {
    std::vector<std::uint32_t> bins(n);
    place<std::uint32_t>(bins, n * each, rule, rng);
    return {static_cast<double>(most_loaded<std::uint32_t>(bins)) - static_cast<double>(each)};
  };
}

Cells real_gap(const EndpointSetPtr& set, std::uint64_t each, const PolicySettings& policy) {
  return [set, each, policy](Rng& rng) -> Sample {
    const auto loads = place_real(set, policy, set->size() * each, rng);
    return {static_cast<double>(std::ranges::max(loads)) - static_cast<double>(each)};
  };
}

}  // namespace evener::lab::balls
