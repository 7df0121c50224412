// Rng: the project's only source of luck, a value seeded once and passed by reference.
//
// xoshiro256++ (Blackman and Vigna, 2019), its state filled by splitmix64, so near seeds give
// unrelated streams. Owned by one thread; the same seed and the same calls give the same numbers
// on every machine. Cost: about 1 ns a draw, 32 bytes, no allocation. Not for secrets.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace evener {

// One splitmix64 step: a bijective mix of 64 bits.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// The high and the low half of a 64 x 64 bit product.
struct Product128 {
  std::uint64_t high;
  std::uint64_t low;
};

constexpr Product128 multiply128(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
}

class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) {
    for (auto& word : state_) {
      word = mix64(seed);
      seed += 0x9e3779b97f4a7c15ULL;
    }
  }

  // 64 uniform bits.
  constexpr std::uint64_t u64() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform in [0, n), without bias (Lemire 2019). REQUIRES: n > 0.
  constexpr std::uint64_t below(std::uint64_t n) {
    Product128 p = multiply128(u64(), n);
    if (p.low < n) {
      const std::uint64_t threshold = (0 - n) % n;
      while (p.low < threshold) p = multiply128(u64(), n);
    }
    return p.high;
  }

  // Uniform in [0, 1), 53 bits.
  constexpr double uniform01() { return static_cast<double>(u64() >> 11) * 0x1.0p-53; }

  // A new stream that depends on this one's present state and the name; this one moves one step.
  constexpr Rng fork(std::uint64_t name) { return Rng(mix64(u64() ^ mix64(name))); }
  constexpr Rng fork(std::string_view name) {
    std::uint64_t h = 0;
    for (const char c : name) h = mix64(h ^ static_cast<unsigned char>(c));
    return fork(h);
  }

 private:
  std::uint64_t state_[4] = {};
};

}  // namespace evener
