// Fast exponential and normal draws.
//
// Exponential: ziggurat of 256 layers (Marsaglia and Tsang 2000, in double precision, own code),
// one 64-bit draw in 98.9 % of the cases, about 2 ns. Normal: Box and Muller's polar form, about 20
// ns. The same generator state gives the same number on every machine whose exp, log and sqrt
// agree.
#pragma once

#include <evener/rng.h>

#include <cstdint>

namespace evener::sim {

struct ExponentialTable {
  ExponentialTable();
  double width[256];          // of layer i, times 2^-53
  std::uint64_t inside[256];  // 53-bit draws below this are inside for sure
  double height[257];
};
extern const ExponentialTable kExponential;

double exponential_edge(Rng& rng, std::uint64_t layer, double x);

// Mean 1.
inline double exponential(Rng& rng) {
  const std::uint64_t bits = rng.u64();
  const std::uint64_t layer = bits & 255;
  const std::uint64_t u = bits >> 11;
  const double x = static_cast<double>(u) * kExponential.width[layer];
  if (u < kExponential.inside[layer]) [[likely]]
    return x;
  return exponential_edge(rng, layer, x);
}

// Mean 0, variance 1.
double normal(Rng& rng);

}  // namespace evener::sim
