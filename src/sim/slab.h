// Slab: values in blocks that never move, addressed by small numbers that are used again.
//
// Owned by one thread. Cost: take and give_back are O(1); memory grows by blocks of 4,096 and is
// kept. A value keeps its last state when it is given back; take() does not reset it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace evener::sim {

template <typename T>
class Slab {
 public:
  T& operator[](std::uint32_t index) { return blocks_[index >> kBits][index & kMask]; }
  const T& operator[](std::uint32_t index) const { return blocks_[index >> kBits][index & kMask]; }

  std::uint32_t take() {
    ++used_;
    if (!free_.empty()) {
      const std::uint32_t index = free_.back();
      free_.pop_back();
      return index;
    }
    if (made_ >> kBits == blocks_.size()) blocks_.push_back(std::make_unique<T[]>(kMask + 1));
    return made_++;
  }
  void give_back(std::uint32_t index) {
    --used_;
    free_.push_back(index);
  }

  // Taken and not given back.
  std::uint32_t used() const { return used_; }
  // Every index so far is below this.
  std::uint32_t made() const { return made_; }

 private:
  static constexpr int kBits = 12;
  static constexpr std::uint32_t kMask = (1U << kBits) - 1;

  std::vector<std::unique_ptr<T[]>> blocks_;
  std::vector<std::uint32_t> free_;
  std::uint32_t made_ = 0;
  std::uint32_t used_ = 0;
};

}  // namespace evener::sim
