#include "balance/keyed/rendezvous_hash.h"

namespace evener {

void RendezvousHash::build(std::span<const KeyedMember> members) {
  items_.clear();
  items_.reserve(members.size());
  equal_ = true;
  for (const KeyedMember& member : members) {
    items_.push_back({mix64(member.id), 1 / member.weight, member.slot});
    equal_ = equal_ && member.weight == members.front().weight;
  }
}

}  // namespace evener
