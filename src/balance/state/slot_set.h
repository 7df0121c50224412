// SlotSet: a set of slot indexes that can be walked, without holes, in no particular order.
//
// Owned by one thread. Cost: every operation O(1), walking O(size); 8 bytes per slot. Only resize
// allocates, so that a set is safe to change on the request path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evener {

class SlotSet {
 public:
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  // Makes room for the indexes below `slots`; never shrinks.
  void resize(std::size_t slots) {
    if (slots <= position_.size()) return;
    position_.resize(slots, kNone);
    items_.reserve(position_.capacity());
  }
  std::size_t slots() const { return position_.size(); }

  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  bool contains(std::uint32_t slot) const { return position_[slot] != kNone; }
  // Changes with the next add or remove.
  std::span<const std::uint32_t> items() const { return items_; }

  // False: it was a member already.
  bool add(std::uint32_t slot) {
    if (contains(slot)) return false;
    position_[slot] = static_cast<std::uint32_t>(items_.size());
    items_.push_back(slot);
    return true;
  }

  // False: it was no member. The last item takes its place.
  bool remove(std::uint32_t slot) {
    const std::uint32_t position = position_[slot];
    if (position == kNone) return false;
    const std::uint32_t last = items_.back();
    items_[position] = last;
    position_[last] = position;
    items_.pop_back();
    position_[slot] = kNone;
    return true;
  }

  void clear() {
    for (const std::uint32_t slot : items_) position_[slot] = kNone;
    items_.clear();
  }

 private:
  std::vector<std::uint32_t> position_;  // in items_, by slot
  std::vector<std::uint32_t> items_;
};

}  // namespace evener
