#include "balance/load_buckets.h"

#include <algorithm>

namespace evener {

void LoadBuckets::reset(std::size_t slots, std::size_t members) {
  order_.resize(members);
  sorted_.resize(members);
  places_.assign(slots, {kNone, 0});
  begin_.assign(kWindow + 1, 0);
  size_ = 0;
  clear();
}

void LoadBuckets::clear() noexcept {
  for (std::uint32_t i = 0; i < size_; ++i) places_[order_[i]].at = kNone;
  size_ = 0;
  base_ = 0;
  least_ = 0;
  most_ = 0;
  begin_[0] = 0;
  begin_[1] = 0;
}

// A counting sort of what order_[0..size_) holds, around the least load.
void LoadBuckets::lay() noexcept {
  std::uint32_t least = 0xffff'ffff;
  for (std::uint32_t i = 0; i < size_; ++i) least = std::min(least, places_[order_[i]].load);
  base_ = size_ != 0 && least > kMargin ? least - kMargin : 0;
  std::ranges::fill(begin_, 0);
  for (std::uint32_t i = 0; i < size_; ++i) ++begin_[level(places_[order_[i]].load) + 1];
  for (std::uint32_t l = 0; l < kWindow; ++l) begin_[l + 1] += begin_[l];
  std::ranges::copy_n(order_.begin(), size_, sorted_.begin());
  // Each slot goes to where its level begins, which moves on: in the end it is where the next does.
  for (std::uint32_t i = 0; i < size_; ++i) {
    const std::uint32_t slot = sorted_[i];
    put(slot, begin_[level(places_[slot].load)]++);
  }
  for (std::uint32_t l = kWindow; l > 0; --l) begin_[l] = begin_[l - 1];
  begin_[0] = 0;
  least_ = 0;
  most_ = 0;
  if (size_ == 0) return;
  while (begin_[least_ + 1] == 0) ++least_;
  most_ = kTop;
  while (begin_[most_] == size_) --most_;
}

// Any distance. The load is noted already.
void LoadBuckets::move(std::uint32_t slot, Place place, std::uint32_t load) noexcept {
  if (load < base_) return lay();
  const std::uint32_t from = level(place.load);
  const std::uint32_t to = level(load);
  if (to > from) {
    rise(slot, place.at, from, to);
  } else if (to < from) {
    sink(slot, place.at, from, to);
  }
}

void LoadBuckets::insert(std::uint32_t slot, std::uint32_t load) noexcept {
  places_[slot] = {size_, load};
  order_[size_] = slot;
  ++size_;
  if (load < base_ || size_ == 1) return lay();
  const std::uint32_t to = level(load);
  // It joins at the end, above all others.
  begin_[most_ + 1] = size_;
  if (to < most_) return sink(slot, size_ - 1, most_, to);
  if (to > most_) rise(slot, size_ - 1, most_, to);
}

void LoadBuckets::remove(std::uint32_t slot) noexcept {
  const Place place = places_[slot];
  if (place.at == kNone) return;
  // To the end of all, and off it.
  std::uint32_t at = place.at;
  for (std::uint32_t l = level(place.load); l <= most_; ++l) {
    at = swap(slot, at, --begin_[l + 1]);
  }
  places_[slot].at = kNone;
  --size_;
  if (size_ == 0) return clear();
  while (begin_[most_] == size_) --most_;
  while (begin_[least_ + 1] == 0) ++least_;
  if (least_ == kTop) lay();
}

}  // namespace evener
