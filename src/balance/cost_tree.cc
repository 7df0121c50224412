#include "balance/cost_tree.h"

#include <algorithm>
#include <bit>

namespace evener {

void CostTree::reset(std::span<const std::uint32_t> members, std::size_t slots) {
  leaves_ = std::bit_ceil(std::max(static_cast<std::uint32_t>(members.size()), 1U));
  nodes_.assign(std::size_t{2} * leaves_, Node());
  leaf_.assign(slots, 0);
  slot_.assign(members.begin(), members.end());
  for (std::size_t i = 0; i < members.size(); ++i) {
    leaf_[members[i]] = leaves_ + static_cast<std::uint32_t>(i);
  }
}

}  // namespace evener
