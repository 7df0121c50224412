#include "balance/load_buckets.h"

namespace evener {

void LoadBuckets::reset(std::size_t slots, std::size_t members) {
  order_.resize(members);
  places_.assign(slots, {0, kNone});
  nodes_.resize(members);
  for (std::size_t i = 0; i < members; ++i) {
    nodes_[i].next = i + 1 < members ? static_cast<std::uint32_t>(i + 1) : kNone;
  }
  free_ = members != 0 ? 0 : kNone;
  size_ = 0;
  first_ = kNone;
  last_ = kNone;
}

void LoadBuckets::link(std::uint32_t slot, std::uint32_t load, std::uint32_t hole,
                       std::uint32_t prev, std::uint32_t next) noexcept {
  const std::uint32_t node = free_;
  free_ = nodes_[node].next;
  nodes_[node] = {load, hole, hole + 1, prev, next};
  (prev != kNone ? nodes_[prev].next : first_) = node;
  (next != kNone ? nodes_[next].prev : last_) = node;
  put(slot, hole, node);
}

void LoadBuckets::unlink_if_empty(std::uint32_t node) noexcept {
  Node& gone = nodes_[node];
  if (gone.begin != gone.end) return;
  (gone.prev != kNone ? nodes_[gone.prev].next : first_) = gone.next;
  (gone.next != kNone ? nodes_[gone.next].prev : last_) = gone.prev;
  gone.next = free_;
  free_ = node;
}

std::uint32_t LoadBuckets::leave_to_begin(Place place) noexcept {
  Node& node = nodes_[place.node];
  const std::uint32_t hole = node.begin++;
  fill(place.at, order_[hole]);
  unlink_if_empty(place.node);
  return hole;
}

std::uint32_t LoadBuckets::leave_to_end(Place place) noexcept {
  Node& node = nodes_[place.node];
  const std::uint32_t hole = --node.end;
  fill(place.at, order_[hole]);
  unlink_if_empty(place.node);
  return hole;
}

void LoadBuckets::sink(std::uint32_t slot, std::uint32_t load, std::uint32_t hole,
                       std::uint32_t below) noexcept {
  while (below != kNone && nodes_[below].load > load) {
    Node& passed = nodes_[below];
    fill(hole, order_[passed.begin]);
    hole = passed.begin++;
    ++passed.end;
    below = passed.prev;
  }
  if (below != kNone && nodes_[below].load == load) {
    ++nodes_[below].end;
    put(slot, hole, below);
  } else {
    link(slot, load, hole, below, below != kNone ? nodes_[below].next : first_);
  }
}

void LoadBuckets::rise(std::uint32_t slot, std::uint32_t load) noexcept {
  const Place place = places_[slot];
  std::uint32_t above = nodes_[place.node].next;
  std::uint32_t hole = leave_to_end(place);
  while (above != kNone && nodes_[above].load < load) {
    Node& passed = nodes_[above];
    fill(hole, order_[passed.end - 1]);
    hole = --passed.end;
    --passed.begin;
    above = passed.next;
  }
  if (above != kNone && nodes_[above].load == load) {
    --nodes_[above].begin;
    put(slot, hole, above);
  } else {
    link(slot, load, hole, above != kNone ? nodes_[above].prev : last_, above);
  }
}

void LoadBuckets::remove(std::uint32_t slot) noexcept {
  const Place place = places_[slot];
  if (place.node == kNone) return;
  std::uint32_t above = nodes_[place.node].next;
  std::uint32_t hole = leave_to_end(place);
  while (above != kNone) {
    Node& passed = nodes_[above];
    fill(hole, order_[passed.end - 1]);
    hole = --passed.end;
    --passed.begin;
    above = passed.next;
  }
  --size_;
  places_[slot].node = kNone;
}

}  // namespace evener
