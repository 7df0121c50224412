#include "sim/luck.h"

#include <cmath>

namespace evener::sim {
namespace {

// Right edge of the lowest layer but one, for 256 layers of equal area.
constexpr double kEdge = 7.69711747013104972;

}  // namespace

// Layer 0 is the base with the tail: as wide as its area over its height, so that a draw beyond
// kEdge is the tail. Layer i reaches from height[i] up to height[i + 1] and is x[i] wide.
ExponentialTable::ExponentialTable() {
  const double area = (kEdge + 1) * std::exp(-kEdge);
  double x[257];
  x[0] = area / std::exp(-kEdge);
  x[1] = kEdge;
  for (int i = 2; i < 256; ++i) x[i] = -std::log(area / x[i - 1] + std::exp(-x[i - 1]));
  x[256] = 0;
  for (int i = 0; i < 256; ++i) {
    width[i] = x[i] * 0x1.0p-53;
    inside[i] = static_cast<std::uint64_t>(x[i + 1] / x[i] * 0x1.0p53);
    height[i] = i == 0 ? 0 : std::exp(-x[i]);
  }
  height[256] = 1;
}

const ExponentialTable kExponential;

double exponential_edge(Rng& rng, std::uint64_t layer, double x) {
  // What is beyond the edge is exponential again.
  if (layer == 0) return kEdge + exponential(rng);
  const double low = kExponential.height[layer];
  const double y = low + rng.uniform01() * (kExponential.height[layer + 1] - low);
  return y < std::exp(-x) ? x : exponential(rng);
}

double normal(Rng& rng) {
  for (;;) {
    const double u = 2 * rng.uniform01() - 1;
    const double v = 2 * rng.uniform01() - 1;
    const double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * std::log(s) / s);
  }
}

}  // namespace evener::sim
