// PerMember: a policy's own value for each member, kept over new sets by the endpoint's identity.
//
// A slot goes to another endpoint once the one it had has left; update() notices and begins anew
// for it, and for whoever was out of the members meanwhile. Owned by one policy and its thread.
// Cost: update is O(members) and allocates; the rest is an index.
#pragma once

#include <vector>

#include "balance/pool_view.h"

namespace evener {

template <typename T>
class PerMember {
 public:
  // From Policy::rebuild.
  void update(const PoolView& pool) {
    ++round_;
    cells_.resize(pool.slots.size());
    for (const std::uint32_t slot : pool.members) {
      Cell& cell = cells_[slot];
      const EndpointId id = pool.endpoints[slot]->id;
      if (cell.round + 1 != round_ || cell.id != id) cell = {.id = id};
      cell.round = round_;
    }
  }

  // REQUIRES: a member.
  T& operator[](std::uint32_t slot) { return cells_[slot].value; }
  const T& operator[](std::uint32_t slot) const { return cells_[slot].value; }

 private:
  struct Cell {
    EndpointId id{};
    std::uint64_t round = 0;  // the last update that found it
    T value = T();
  };
  std::vector<Cell> cells_;  // by slot
  std::uint64_t round_ = 0;
};

}  // namespace evener
