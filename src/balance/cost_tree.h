// CostTree: which slots cost least of all, and how many they are, kept up to date change by change.
//
// A tournament over the members: every inner node has the least cost below it and how many have
// it. So equals are drawn exactly evenly, which an ordered heap with random tie numbers does not:
// there whoever drew a high number waits until all others happen to draw higher ones. set():
// O(log n), less when nothing changes further up. least(): O(log n), one draw. Owned by one policy
// and its thread. Memory: 16 to 32 bytes a member, 4 a slot, all from reset(); nothing else
// allocates.
#pragma once

#include <evener/rng.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace evener {

class CostTree {
 public:
  // Empty again, with room for these members of the slots 0..slots-1.
  void reset(std::span<const std::uint32_t> members, std::size_t slots);

  // All members at once, in O(n): cost(slot) or kOut. Does not allocate.
  template <typename Cost>
  void fill(std::span<const std::uint32_t> members, Cost&& cost) noexcept {
    for (const std::uint32_t slot : members) nodes_[leaf_[slot]] = node_of(cost(slot));
    for (std::uint32_t node = leaves_ - 1; node > 0; --node) nodes_[node] = combined(node);
  }

  // The slot costs this much now; kOut: it is out. REQUIRES: a member; cost > 0.
  void set(std::uint32_t slot, float cost) noexcept {
    std::uint32_t node = leaf_[slot];
    nodes_[node] = node_of(cost);
    for (node /= 2; node > 0; node /= 2) {
      const Node now = combined(node);
      if (now == nodes_[node]) break;
      nodes_[node] = now;
    }
  }

  bool empty() const { return nodes_.size() < 2 || nodes_[1].count == 0; }
  // One of those that cost least, each as likely. REQUIRES: !empty().
  std::uint32_t least(Rng& rng) const noexcept {
    const Node top = nodes_[1];
    auto rank = static_cast<std::uint32_t>((rng.u64() >> 32) * top.count >> 32);
    std::uint32_t node = 1;
    while (node < leaves_) {
      node *= 2;
      const std::uint32_t left = nodes_[node].cost == top.cost ? nodes_[node].count : 0;
      const bool right = rank >= left;
      rank -= right ? left : 0;
      node += right ? 1 : 0;
    }
    return slot_[node - leaves_];
  }

  static constexpr float kOut = std::numeric_limits<float>::infinity();

 private:
  struct Node {
    float cost = kOut;
    std::uint32_t count = 0;  // of those below that have this cost
    bool operator==(const Node&) const = default;
  };

  static Node node_of(float cost) { return {cost, cost == kOut ? 0U : 1U}; }
  Node combined(std::uint32_t node) const {
    const std::size_t left = std::size_t{2} * node;
    const Node a = nodes_[left];
    const Node b = nodes_[left + 1];
    const float cost = a.cost < b.cost ? a.cost : b.cost;
    return {cost, (a.cost == cost ? a.count : 0) + (b.cost == cost ? b.count : 0)};
  }

  std::uint32_t leaves_ = 1;
  std::vector<Node> nodes_;          // [1] is the root, [leaves_] the first leaf
  std::vector<std::uint32_t> leaf_;  // by slot
  std::vector<std::uint32_t> slot_;  // by leaf
};

}  // namespace evener
