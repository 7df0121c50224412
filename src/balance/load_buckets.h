// LoadBuckets: slots in order of a count, so that one of those with the least is found at once.
//
// One array of the slots, sorted by load, and a list of nodes, one for each load that occurs: where
// in the array its slots are. A slot that goes up by one changes places with the last of its node
// and joins the next. So a step of one is O(1), a longer one O(loads that occur in between); the
// least is the first node, and one of it is drawn evenly. Owned by one policy and its thread.
// Memory: 12 bytes a slot and 20 a node, as many nodes as slots, all from reset(); nothing else
// allocates. Source: the frequency list of O(1) LFU caches (Shah, Mitra, Matani 2010).
#pragma once

#include <evener/rng.h>

#include <cstdint>
#include <vector>

namespace evener {

class LoadBuckets {
 public:
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  // Empty again, with room for `members` of the slots 0..slots-1.
  void reset(std::size_t slots, std::size_t members);

  // The slot has this load now, whether or not it was in. REQUIRES: slot < slots; at most `members`
  // are in at a time.
  void set(std::uint32_t slot, std::uint32_t load) noexcept {
    const Place place = places_[slot];
    if (place.node == kNone) {
      sink(slot, load, size_++, last_);
    } else if (load > nodes_[place.node].load) {
      rise(slot, load);
    } else if (load < nodes_[place.node].load) {
      const std::uint32_t below = nodes_[place.node].prev;
      sink(slot, load, leave_to_begin(place), below);
    }
  }
  // Takes the slot out, if it is in.
  void remove(std::uint32_t slot) noexcept;

  bool empty() const { return size_ == 0; }
  std::uint32_t size() const { return size_; }
  // One of those with the least load, each as likely. REQUIRES: !empty().
  std::uint32_t least(Rng& rng) const noexcept {
    const Node& node = nodes_[first_];
    const std::uint64_t equals = node.end - node.begin;
    return order_[node.begin + ((rng.u64() >> 32) * equals >> 32)];
  }

 private:
  struct Place {
    std::uint32_t at;    // in order_
    std::uint32_t node;  // kNone: not in
  };
  struct Node {
    std::uint32_t load;
    std::uint32_t begin;  // in order_; never empty
    std::uint32_t end;
    std::uint32_t prev;
    std::uint32_t next;
  };

  void fill(std::uint32_t hole, std::uint32_t slot) noexcept {
    order_[hole] = slot;
    places_[slot].at = hole;
  }
  void put(std::uint32_t slot, std::uint32_t hole, std::uint32_t node) noexcept {
    order_[hole] = slot;
    places_[slot] = {hole, node};
  }
  // Both return the place that becomes free: just below or just above what is left of the node.
  std::uint32_t leave_to_begin(Place place) noexcept;
  std::uint32_t leave_to_end(Place place) noexcept;
  void rise(std::uint32_t slot, std::uint32_t load) noexcept;
  // `hole` is just above the end of the node `below`.
  void sink(std::uint32_t slot, std::uint32_t load, std::uint32_t hole,
            std::uint32_t below) noexcept;
  void link(std::uint32_t slot, std::uint32_t load, std::uint32_t hole, std::uint32_t prev,
            std::uint32_t next) noexcept;
  void unlink_if_empty(std::uint32_t node) noexcept;

  std::vector<std::uint32_t> order_;
  std::vector<Place> places_;  // by slot
  std::vector<Node> nodes_;
  std::uint32_t size_ = 0;
  std::uint32_t first_ = kNone;
  std::uint32_t last_ = kNone;
  std::uint32_t free_ = kNone;  // a list by Node::next
};

}  // namespace evener
