// EventQueue: a heap of (time, sequence number) keys, smallest first; the World's inner part.
//
// Four children to a node, each node's children in one cache line, 16 bytes per entry. Popping
// walks the hole to the bottom and then lets the last entry rise, which compares least and without
// branches that depend on the data. Owned by one thread. Cost: O(log4 n), no allocation once the
// greatest size was reached.
// Source: LaMarca and Ladner 1996 for the layout; Wegener 1993 for the walk.
#pragma once

#include <evener/time.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evener::sim {

class EventQueue {
 public:
  // The time in the upper half, what orders equal times in the lower.
  __extension__ using Key = unsigned __int128;

  static Key key(Time when, std::uint64_t order) {
    return static_cast<Key>(static_cast<std::uint64_t>(when.ns())) << 64 | order;
  }
  static Time when(Key key) { return Time::from_ns(static_cast<std::int64_t>(key >> 64)); }
  static constexpr Key kNever = ~Key{0};
  static std::uint64_t order(Key key) { return static_cast<std::uint64_t>(key); }

  EventQueue() : lines_(2) {}

  bool empty() const { return end_ == kRoot; }
  std::size_t size() const { return end_ - kRoot; }
  // kNever when empty, later than any key.
  Key top() const { return at(kRoot); }

  void push(Key k) {
    if (end_ / 4 + 1 >= lines_.size()) lines_.resize(lines_.size() * 2);
    rise(end_++, k);
  }

  // REQUIRES: not empty, as for replace_top.
  void pop() {
    const std::size_t hole = sink();
    const std::size_t last = --end_;
    const Key moved = at(last);
    at(last) = kNever;
    if (hole != last) rise(hole, moved);
  }

  // pop and push in one.
  void replace_top(Key k) { rise(sink(), k); }

  // Removes every entry for which `gone(key)`. O(n).
  template <typename Gone>
  void remove_if(Gone&& gone) {
    std::vector<Key> kept;
    kept.reserve(size());
    for (std::size_t i = kRoot; i < end_; ++i) {
      if (!gone(at(i))) kept.push_back(at(i));
      at(i) = kNever;
    }
    end_ = kRoot;
    for (const Key k : kept) push(k);
  }

 private:
  // The root is the last entry of the first line, so that children fill whole lines.
  static constexpr std::size_t kRoot = 3;
  struct alignas(64) Line {
    Key keys[4] = {kNever, kNever, kNever, kNever};
  };

  Key& at(std::size_t i) { return lines_[i >> 2].keys[i & 3]; }
  const Key& at(std::size_t i) const { return lines_[i >> 2].keys[i & 3]; }

  void rise(std::size_t i, Key k) {
    while (i > kRoot) {
      const std::size_t parent = i / 4 + 2;
      if (at(parent) <= k) break;
      at(i) = at(parent);
      i = parent;
    }
    at(i) = k;
  }

  // Moves the smallest child up, from the root on; returns the place left free, a leaf. Places
  // beyond the end hold kNever and lose.
  std::size_t sink() {
    std::size_t hole = kRoot;
    for (std::size_t child = 4 * (hole - 2); child < end_; child = 4 * (hole - 2)) {
      // Values and numbers travel together in registers; looking the winner up again would double
      // the time.
      const Line& line = lines_[child >> 2];
      const Key k0 = line.keys[0];
      const Key k1 = line.keys[1];
      const Key k2 = line.keys[2];
      const Key k3 = line.keys[3];
      const bool right_a = k1 < k0;
      const bool right_b = k3 < k2;
      const Key a = right_a ? k1 : k0;
      const Key b = right_b ? k3 : k2;
      const std::size_t at_a = right_a ? 1 : 0;
      const std::size_t at_b = right_b ? 3 : 2;
      const bool right = b < a;
      at(hole) = right ? b : a;
      hole = child + (right ? at_b : at_a);
    }
    return hole;
  }

  std::vector<Line> lines_;
  std::size_t end_ = kRoot;
};

}  // namespace evener::sim
