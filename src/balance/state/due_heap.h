// DueHeap: slots by the time at which something is due for them, the earliest first.
//
// A binary heap that knows where each slot is, so that a time may change and a slot may go. Owned
// by one thread. Cost: set, remove and pop O(log size), the rest O(1); only resize allocates. 20
// bytes per slot.
#pragma once

#include <evener/time.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evener {

class DueHeap {
 public:
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  // Makes room for the indexes below `slots`; never shrinks.
  void resize(std::size_t slots) {
    if (slots <= position_.size()) return;
    position_.resize(slots, kNone);
    entries_.reserve(position_.capacity());
  }

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  bool contains(std::uint32_t slot) const { return position_[slot] != kNone; }
  // REQUIRES: contains(slot).
  Time due(std::uint32_t slot) const { return entries_[position_[slot]].due; }
  // REQUIRES: !empty(), for both.
  std::uint32_t first() const { return entries_.front().slot; }
  Time first_due() const { return entries_.front().due; }

  void set(std::uint32_t slot, Time due) {
    if (!contains(slot)) {
      position_[slot] = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({due, slot});
    }
    entries_[position_[slot]].due = due;
    settle(position_[slot]);
  }

  // False: it was not in it.
  bool remove(std::uint32_t slot) {
    const std::uint32_t at = position_[slot];
    if (at == kNone) return false;
    const Entry last = entries_.back();
    entries_.pop_back();
    position_[slot] = kNone;
    if (last.slot != slot) {
      put(at, last);
      settle(at);
    }
    return true;
  }

 private:
  struct Entry {
    Time due;
    std::uint32_t slot;
  };

  void put(std::size_t at, Entry entry) {
    entries_[at] = entry;
    position_[entry.slot] = static_cast<std::uint32_t>(at);
  }

  // Moves the entry up or down to where it belongs.
  void settle(std::size_t at) {
    const Entry entry = entries_[at];
    while (at > 0 && entry.due < entries_[(at - 1) / 2].due) {
      put(at, entries_[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
    for (std::size_t child = 2 * at + 1; child < entries_.size(); child = 2 * at + 1) {
      const bool right = child + 1 < entries_.size();
      if (right && entries_[child + 1].due < entries_[child].due) ++child;
      if (entries_[child].due >= entry.due) break;
      put(at, entries_[child]);
      at = child;
    }
    put(at, entry);
  }

  std::vector<std::uint32_t> position_;  // in entries_, by slot
  std::vector<Entry> entries_;
};

}  // namespace evener
