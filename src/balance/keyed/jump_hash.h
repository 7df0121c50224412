// jump_hash: the bucket of a key among n, so that going from n to n + 1 moves only what the new
// bucket gets, 1 / (n + 1) of the keys.
//
// Pure, any thread, no memory. O(log n): about one multiplication and division per ln 2 of n.
// Agrees with other implementations. Source: Lamping and Veach, "A Fast, Minimal Memory, Consistent
// Hash Algorithm", 2014; the multiplier is theirs.
#pragma once

#include <cstdint>

namespace evener {

// REQUIRES: buckets > 0.
constexpr std::uint32_t jump_hash(std::uint64_t key, std::uint32_t buckets) {
  constexpr std::uint64_t kMultiplier = 2'862'933'555'777'941'757ULL;
  // The key's bucket changes at ever larger numbers of buckets; each is drawn from the one before.
  std::uint64_t bucket = 0;
  std::uint64_t next = 0;
  while (next < buckets) {
    bucket = next;
    key = key * kMultiplier + 1;
    const double draw = 0x1.0p31 / static_cast<double>((key >> 33) + 1);
    next = static_cast<std::uint64_t>(static_cast<double>(bucket + 1) * draw);
  }
  return static_cast<std::uint32_t>(bucket);
}

}  // namespace evener
