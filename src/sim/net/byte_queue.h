// ByteQueue: bytes in at the back, out at the front. One owner. Cost: amortised one copy per byte.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

namespace evener::sim {

class ByteQueue {
 public:
  std::size_t size() const { return bytes_.size() - head_; }
  void push(std::span<const char> bytes) { bytes_.append(bytes.data(), bytes.size()); }
  // REQUIRES: n <= size().
  void pop(char* to, std::size_t n) {
    std::memcpy(to, bytes_.data() + head_, n);
    head_ += n;
    if (head_ == bytes_.size()) {
      clear();
    } else if (head_ > 4096 && head_ > bytes_.size() / 2) {
      bytes_.erase(0, head_);
      head_ = 0;
    }
  }
  // Forgets what is behind the first n bytes.
  void keep(std::size_t n) { bytes_.resize(std::min(bytes_.size(), head_ + n)); }
  void clear() {
    bytes_.clear();
    head_ = 0;
  }

 private:
  std::string bytes_;
  std::size_t head_ = 0;
};

}  // namespace evener::sim
