// LoadBuckets: slots in order of a count, so that one of those with the least is found at once.
//
// One array of the slots, sorted by load, and for each load where in it that load begins. A slot
// that goes up by one changes places with the last of its load, and the border between the two
// moves by one; so a step of one is O(1), a longer one O(its length). The least is the first load
// that occurs, and one of those is drawn evenly. Borders are kept for a window of kWindow loads;
// what lies above is in the last together. Before the least leaves the window it is laid anew,
// O(n), which n x (kWindow - 2 x kMargin) steps up or kMargin steps down must come before. Owned by
// one policy and its thread. Memory: 16 bytes a slot and 4 KiB, all from reset(); nothing else
// allocates. Source: the borders of a counting sort, as in Batagelj and Zaversnik 2003.
#pragma once

#include <evener/rng.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/huge_vector.h"

namespace evener {

class LoadBuckets {
 public:
  static constexpr std::uint32_t kWindow = 1024;
  static constexpr std::uint32_t kMargin = 256;

  // Empty again, with room for `members` of the slots 0..slots-1.
  void reset(std::size_t slots, std::size_t members);

  // All of them at once, in O(n); what was in is out. REQUIRES: as many as there is room for.
  template <typename LoadOf>
  void fill(std::span<const std::uint32_t> slots, LoadOf&& load_of) noexcept {
    clear();
    for (const std::uint32_t slot : slots) {
      order_[size_] = slot;
      places_[slot] = {size_++, load_of(slot)};
    }
    lay();
  }

  // The slot has this load now, whether or not it was in. REQUIRES: slot < slots; at most `members`
  // are in at a time.
  void set(std::uint32_t slot, std::uint32_t load) noexcept {
    const Place place = places_[slot];
    if (place.at == kNone) [[unlikely]]
      return insert(slot, load);
    places_[slot].load = load;
    // A step of one within the window, as nearly all are: no loops.
    const std::uint32_t from = place.load - base_;
    const std::uint32_t to = load - base_;
    if (to == from + 1 && to < kTop) {
      if (most_ == from) begin_[++most_ + 1] = size_;
      places_[slot].at = swap(slot, place.at, --begin_[to]);
      if (begin_[least_ + 1] == 0) ++least_;
    } else if (to < from && from == to + 1 && from < kTop) {
      if (least_ == from) least_ = to;
      places_[slot].at = swap(slot, place.at, begin_[from]++);
      if (begin_[most_] == size_) --most_;
    } else {
      move(slot, place, load);
    }
  }
  // Takes the slot out, if it is in.
  void remove(std::uint32_t slot) noexcept;

  bool empty() const { return size_ == 0; }
  std::uint32_t size() const { return size_; }
  // One of those with the least load, each as likely. REQUIRES: !empty().
  std::uint32_t least(Rng& rng) const noexcept {
    const std::uint64_t equals = begin_[least_ + 1];
    return order_[(rng.u64() >> 32) * equals >> 32];
  }

 private:
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  static constexpr std::uint32_t kTop = kWindow - 1;  // the level of all loads above
  struct Place {
    std::uint32_t at;  // in order_; kNone: not in
    std::uint32_t load;
  };

  std::uint32_t level(std::uint32_t load) const {
    const std::uint32_t above = load - base_;
    return above < kTop ? above : kTop;
  }
  void put(std::uint32_t slot, std::uint32_t at) noexcept {
    order_[at] = slot;
    places_[slot].at = at;
  }
  // The slot at `at` goes to the other place, but for its own note of it. Returns where it is.
  std::uint32_t swap(std::uint32_t slot, std::uint32_t at, std::uint32_t other) noexcept {
    put(order_[other], at);
    order_[other] = slot;
    return other;
  }
  // The slot at `at`, of level `from`, goes to the other one.
  void rise(std::uint32_t slot, std::uint32_t at, std::uint32_t from, std::uint32_t to) noexcept {
    while (most_ < to) begin_[++most_ + 1] = size_;
    for (std::uint32_t l = from; l < to; ++l) {
      const std::uint32_t last = --begin_[l + 1];
      at = swap(slot, at, last);
    }
    places_[slot].at = at;
    while (begin_[least_ + 1] == 0) ++least_;
    if (least_ == kTop) [[unlikely]]
      lay();
  }
  void sink(std::uint32_t slot, std::uint32_t at, std::uint32_t from, std::uint32_t to) noexcept {
    if (to < least_) least_ = to;
    for (std::uint32_t l = from; l > to; --l) {
      const std::uint32_t first = begin_[l]++;
      at = swap(slot, at, first);
    }
    places_[slot].at = at;
    while (begin_[most_] == size_) --most_;
  }
  void insert(std::uint32_t slot, std::uint32_t load) noexcept;
  void move(std::uint32_t slot, Place from, std::uint32_t load) noexcept;
  void clear() noexcept;
  void lay() noexcept;

  HugeVector<std::uint32_t> order_;
  HugeVector<Place> places_;          // by slot
  std::vector<std::uint32_t> begin_;  // by level, for 0..most_ + 1; 0 up to least_
  std::vector<std::uint32_t> sorted_;
  std::uint32_t size_ = 0;
  std::uint32_t base_ = 0;   // the load of level 0
  std::uint32_t least_ = 0;  // the first level that occurs
  std::uint32_t most_ = 0;   // the last
};

}  // namespace evener
