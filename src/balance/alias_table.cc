#include "balance/alias_table.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace evener {
namespace {

std::uint32_t to_keep(double share) {
  const double scaled = std::clamp(share, 0.0, 1.0) * 4294967296.0 - 1.0;
  return scaled <= 0 ? 0 : static_cast<std::uint32_t>(scaled);
}

}  // namespace

void AliasTable::build(std::span<const double> weights) {
  cells_.clear();
  if (std::ranges::adjacent_find(weights, std::ranges::not_equal_to()) == weights.end()) return;
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> share(weights.size());
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  cells_.resize(weights.size());
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    share[i] = weights[i] / sum * static_cast<double>(weights.size());
    cells_[i] = {0xffff'ffff, i};
    (share[i] < 1 ? small : large).push_back(i);
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t low = small.back();
    const std::uint32_t high = large.back();
    small.pop_back();
    cells_[low] = {to_keep(share[low]), high};
    share[high] -= 1 - share[low];
    if (share[high] < 1) {
      large.pop_back();
      small.push_back(high);
    }
  }
}

}  // namespace evener
