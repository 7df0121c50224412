#include "lab/hashing/cuckoo.h"

#include <algorithm>

#include "base/check.h"

namespace evener::lab::hashing {
namespace {

constexpr std::uint32_t kNone = 0xffff'ffff;

}  // namespace

CuckooTable::CuckooTable(std::uint32_t buckets, std::uint32_t slots, std::uint32_t hashes)
    : slots_(slots),
      hashes_(hashes),
      cells_(std::size_t{buckets} * slots),
      labels_(buckets),
      count_(2),
      lowest_gap_(1) {
  EV_CHECK(hashes >= 2 && buckets >= hashes && slots >= 1, "places enough for a key");
  EV_CHECK(cells_.size() < kNone, "keys have 32 bits");
  keys_.reserve(cells_.size() * hashes);
  count_[0] = buckets;
}

// The key's bucket of least label, `except` left out.
std::uint32_t CuckooTable::nearest_of(std::uint32_t key, std::uint32_t except) const {
  std::uint32_t best = kNone;
  for (const std::uint32_t bucket : buckets_of(key)) {
    if (bucket == except) continue;
    if (best == kNone || labels_[bucket] < labels_[best]) best = bucket;
  }
  return best;
}

// A full bucket is one move farther from an empty slot than the nearest that its keys may go to.
void CuckooTable::relabel(std::uint32_t bucket) {
  std::uint32_t least = kNone;
  for (const std::uint32_t cell : cells_of(bucket)) {
    least = std::min(least, labels_[nearest_of(cell - 1, bucket)]);
  }
  const std::uint32_t before = labels_[bucket];
  const std::uint32_t now = std::max(before, least + 1);
  if (now == before) return;
  labels_[bucket] = now;
  if (now >= count_.size()) count_.resize(now + 1);
  --count_[before];
  ++count_[now];
  lowest_gap_ = std::min(lowest_gap_, before);
  while (lowest_gap_ < count_.size() && count_[lowest_gap_] > 0) ++lowest_gap_;
}

// Moves go down by at most one label at a time, so none crosses a label that no bucket has.
bool CuckooTable::cut_off(std::uint32_t label) const { return label > lowest_gap_; }

bool CuckooTable::insert(std::span<const std::uint32_t> buckets) {
  EV_CHECK(buckets.size() == hashes_, "a bucket for each hash");
  auto key = static_cast<std::uint32_t>(keys_.size() / hashes_);
  keys_.insert(keys_.end(), buckets.begin(), buckets.end());
  for (;;) {
    const std::uint32_t bucket = nearest_of(key, kNone);
    const std::span<std::uint32_t> cells = cells_of(bucket);
    if (labels_[bucket] == 0) {
      const auto empty = std::ranges::find(cells, 0U);
      *empty = key + 1;
      ++size_;
      if (empty + 1 == cells.end()) relabel(bucket);
      return true;
    }
    if (cut_off(labels_[bucket])) return false;
    const auto leaves = std::ranges::min_element(
        cells, {}, [&](std::uint32_t cell) { return labels_[nearest_of(cell - 1, bucket)]; });
    const std::uint32_t next = *leaves - 1;
    *leaves = key + 1;
    relabel(bucket);
    key = next;
  }
}

bool CuckooTable::sound() const {
  std::vector<std::uint8_t> seen(keys_.size() / hashes_);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i] == 0) continue;
    const std::uint32_t key = cells_[i] - 1;
    if (key >= seen.size() || seen[key] != 0) return false;
    seen[key] = 1;
    if (std::ranges::find(buckets_of(key), i / slots_) == buckets_of(key).end()) return false;
  }
  return std::ranges::count(seen, 1) == static_cast<std::ptrdiff_t>(size_);
}

}  // namespace evener::lab::hashing
