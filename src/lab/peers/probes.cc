#include "lab/peers/probes.h"

#include <algorithm>
#include <cmath>

namespace evener::lab::peers {

double Probes::reuse(std::size_t n) {
  const double out = 1 - static_cast<double>(kMost) / static_cast<double>(n);
  const double left = out * kPerCall - kRemoved;
  return left <= 1e-9 ? kMost : std::clamp(2 / left, 1.0, static_cast<double>(kMost));
}

void Probes::add(const ProbeReply& reply) {
  const auto known = std::ranges::find(all(), reply.slot, &ProbeReply::slot);
  if (known != all().end()) {
    erase(static_cast<std::size_t>(known - all().begin()));
  } else if (count_ == kMost) {
    erase(0);
  }
  probes_[count_++] = reply;
}

// The greatest RIF that is not hot.
std::uint32_t Probes::threshold() const {
  std::array<std::uint32_t, kMost> rif;
  for (std::size_t i = 0; i < count_; ++i) rif[i] = probes_[i].rif;
  std::sort(rif.begin(), rif.begin() + static_cast<std::ptrdiff_t>(count_));
  const double rank = std::ceil(kQuantile * static_cast<double>(count_));
  return rif[static_cast<std::size_t>(rank) - 1];
}

std::size_t Probes::best() const {
  const std::uint32_t limit = threshold();
  const auto better = [limit](const ProbeReply& a, const ProbeReply& b) {
    const bool cold = a.rif <= limit;
    if (cold != (b.rif <= limit)) return cold;
    return cold ? a.latency_ns < b.latency_ns : a.rif < b.rif;
  };
  return static_cast<std::size_t>(std::ranges::min_element(all(), better) - all().begin());
}

std::size_t Probes::worst() const {
  const std::uint32_t limit = threshold();
  const auto better = [limit](const ProbeReply& a, const ProbeReply& b) {
    const bool cold = a.rif <= limit;
    if (cold != (b.rif <= limit)) return cold;
    return cold ? a.latency_ns < b.latency_ns : a.rif < b.rif;
  };
  return static_cast<std::size_t>(std::ranges::max_element(all(), better) - all().begin());
}

void Probes::use(std::size_t i) {
  ++probes_[i].rif;
  if (--probes_[i].uses <= 0) erase(i);
}

void Probes::remove_one() {
  if (count_ == 0) return;
  erase(oldest_next_ ? 0 : worst());
  oldest_next_ = !oldest_next_;
}

void Probes::erase(std::size_t i) {
  const auto from = probes_.begin() + static_cast<std::ptrdiff_t>(i);
  std::move(from + 1, probes_.begin() + static_cast<std::ptrdiff_t>(count_), from);
  --count_;
}

}  // namespace evener::lab::peers
