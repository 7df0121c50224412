#include "sim/world.h"

namespace evener::sim {

std::uint32_t World::grow() {
  EV_CHECK(events_.size() < kPendingMax, "too many events are pending in one simulated world");
  events_.push_back({nullptr, 0, 1, kNone});
  return static_cast<std::uint32_t>(events_.size() - 1);
}

bool World::cancel(EventId id) {
  const auto slot = static_cast<std::uint32_t>(static_cast<std::uint64_t>(id));
  const auto generation = static_cast<std::uint32_t>(static_cast<std::uint64_t>(id) >> 32);
  if (slot >= events_.size() || events_[slot].generation != generation) return false;
  Event& event = events_[slot];
  if (event.actor == nullptr) return false;
  event.actor = nullptr;
  ++cancelled_;
  constexpr std::size_t kFew = 1024;
  if (cancelled_ < kFew || cancelled_ * 2 < queue_.size()) return true;
  fill_hole();
  queue_.remove_if([this](EventQueue::Key k) {
    const auto at = static_cast<std::uint32_t>(EventQueue::order(k) & kPendingMax);
    if (events_[at].actor != nullptr) return false;
    release(at);
    return true;
  });
  cancelled_ = 0;
  return true;
}

}  // namespace evener::sim
