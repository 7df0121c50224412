#include "base/hash.h"

#include <evener/rng.h>

#include <cstddef>

namespace evener {
namespace {

// Odd constants with balanced bits; any would do, but they may never change.
constexpr std::uint64_t kSalt0 = 0x8ebc6af09c88c6e3ULL;
constexpr std::uint64_t kSalt1 = 0x589965cc75374cc3ULL;

std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const Product128 p = multiply128(a, b);
  return p.high ^ p.low;
}

// Up to 8 bytes, little-endian on every machine.
std::uint64_t read(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 8; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return value;
}

}  // namespace

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t h = mix64(seed ^ kSalt0);
  const std::uint64_t length = bytes.size();
  while (bytes.size() > 16) {
    h = fold(read(bytes.substr(0, 8)) ^ kSalt0 ^ h, read(bytes.substr(8, 8)) ^ kSalt1);
    bytes.remove_prefix(16);
  }
  const std::uint64_t low = read(bytes.substr(0, 8));
  const std::uint64_t high = bytes.size() > 8 ? read(bytes.substr(8)) : 0;
  h = fold(low ^ kSalt1 ^ h, high ^ kSalt0);
  return mix64(h ^ mix64(length));
}

}  // namespace evener
