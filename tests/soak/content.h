// The soak's bodies: every octet follows from the message's number and its place, and a piece of
// any body stands ready in one table, so that making and checking cost a memcmp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/buffer.h"

namespace evener::soak {

inline constexpr std::size_t kPiece = io::kLargeBlock;

inline const std::array<char, 2 * kPiece>& table() {
  static const auto made = [] {
    std::array<char, 2 * kPiece> bytes{};
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < kPiece; ++i) {
      state = state * 1664525 + 1013904223;
      bytes[i] = bytes[i + kPiece] = static_cast<char>(state >> 24);
    }
    return bytes;
  }();
  return made;
}

// At most kPiece octets of body `id` from `at` on; the body goes on for ever.
inline std::string_view content(std::uint64_t id, std::uint64_t at, std::size_t size) {
  return {table().data() + (id * 7919 + at) % kPiece, size < kPiece ? size : kPiece};
}

inline bool same(std::uint64_t id, std::uint64_t at, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view want = content(id, at, bytes.size());
    if (bytes.substr(0, want.size()) != want) return false;
    bytes.remove_prefix(want.size());
    at += want.size();
  }
  return true;
}

// The number of the request body that goes with message `id`.
inline std::uint64_t upload_id(std::uint64_t id) { return id * 31 + 7; }

}  // namespace evener::soak
