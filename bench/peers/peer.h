// What the peers' rules have in common, so that one loop measures all of them and ours.
//
// A peer is made for n endpoints of equal weight and a number of threads, and has
//
//     Pending pick(Caller&, Time now)                       one more request in flight
//     void finish(Caller&, const Pending&, bool success, Time now)
//
// They are written from published formulas (facts named in each header), without the peers' code.
// Luck comes from our Rng and time is an argument, as it is for ours: both cost the peers more at
// home. Where a peer has a lock or an atomic, so has its rule here. Benchmark code: nothing in the
// product uses it.
#pragma once

#include <evener/rng.h>
#include <evener/time.h>

#include <cstddef>
#include <cstdint>

namespace evener::peers {

struct Caller {
  Rng rng;
  std::size_t thread = 0;  // below the number of threads the peer was made for
};

struct Pending {
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  std::uint32_t endpoint = kNone;
  Time start;
  explicit operator bool() const { return endpoint != kNone; }
};

// Two distinct of n: the second is drawn from the n - 1 others. REQUIRES: n >= 2.
struct Pair {
  std::uint32_t first;
  std::uint32_t second;
};
inline Pair distinct_pair(std::size_t n, Rng& rng) {
  const auto first = static_cast<std::uint32_t>(rng.below(n));
  const auto second = static_cast<std::uint32_t>(rng.below(n - 1));
  return {first, second >= first ? second + 1 : second};
}

}  // namespace evener::peers
