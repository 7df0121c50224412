#include "balance/keyed/members.h"

#include "balance/keyed/ketama_ring.h"
#include "balance/sampler.h"

namespace evener {

bool KeyedMembers::update(const PoolView& pool) {
  next_.clear();
  for (const std::uint32_t slot : pool.members) {
    const Endpoint& endpoint = *pool.endpoints[slot];
    next_.push_back({static_cast<std::uint64_t>(endpoint.id), pool.weights[slot], slot,
                     ketama_start(endpoint.name)});
  }
  if (next_ == now_) return false;
  now_.swap(next_);
  return true;
}

std::uint32_t pick_unkeyed(const PoolView& pool, PickContext& context) noexcept {
  Candidates candidates;
  draw_candidates(pool, context, 2, candidates);
  return least_cost(pool, candidates, [&context](std::uint32_t index, const Slot& slot) {
    const double cost = slot.load() * static_cast<double>(slot.inverse);
    context.trace.add(index, slot, 0, cost);
    return cost;
  });
}

}  // namespace evener
