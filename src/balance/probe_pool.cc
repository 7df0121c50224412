#include "balance/probe_pool.h"

#include <algorithm>
#include <cmath>

namespace evener {
namespace {

constexpr double kHotQuantile = 0.84;  // 2^-0.25
constexpr double kToSpare = 1;
// Costs this close are equal.
constexpr double kNearly = 128.0 / 127;

}  // namespace

std::size_t ProbePool::capacity(std::size_t n) { return std::min(kMost, n / 3); }

double ProbePool::reuse(std::size_t m, std::size_t n) {
  const double unknown = 1 - static_cast<double>(m) / static_cast<double>(n);
  const double left = unknown * kProbesPerPick - kRemovedPerPick;
  if (left <= 0) return kMost;
  return std::clamp((1 + kToSpare) / left, 1.0, static_cast<double>(kMost));
}

void ProbePool::reset(std::size_t n) {
  count_ = 0;
  capacity_ = capacity(n);
  reuse_ = capacity_ > 0 ? reuse(capacity_, n) : 1;
}

void ProbePool::erase(std::size_t i) noexcept {
  for (--count_; i < count_; ++i) probes_[i] = probes_[i + 1];
}

std::size_t ProbePool::oldest() const noexcept { return 0; }

void ProbePool::add(Probe probe, Rng& rng) noexcept {
  if (capacity_ == 0) return;
  for (std::size_t i = count_; i > 0; --i) {
    if (probes_[i - 1].slot == probe.slot) erase(i - 1);
  }
  if (count_ == capacity_) erase(oldest());
  const double whole = std::floor(reuse_);
  probe.uses = static_cast<std::uint32_t>(whole) + (rng.uniform01() < reuse_ - whole ? 1 : 0);
  probes_[count_++] = probe;
}

void ProbePool::mark_hot() noexcept {
  if (count_ == 0) return;
  std::array<double, kMost> loads;
  for (std::size_t i = 0; i < count_; ++i) loads[i] = weighed_[i].load;
  // Rounded down, so that in a small pool the fullest counts as hot.
  const auto at =
      loads.begin() + static_cast<std::ptrdiff_t>(kHotQuantile * static_cast<double>(count_ - 1));
  std::nth_element(loads.begin(), at, loads.begin() + static_cast<std::ptrdiff_t>(count_));
  for (std::size_t i = 0; i < count_; ++i) weighed_[i].hot = weighed_[i].load > *at;
}

// Somebody is cold always: the quantile itself is not above itself.
std::size_t ProbePool::pick_best(Rng& rng) const noexcept {
  double least = 1e300;
  for (std::size_t i = 0; i < count_; ++i) {
    if (!weighed_[i].hot) least = std::min(least, weighed_[i].latency);
  }
  std::size_t chosen = 0;
  std::uint64_t equals = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (weighed_[i].hot || weighed_[i].latency > least * kNearly) continue;
    if (++equals == 1 || rng.below(equals) == 0) chosen = i;
  }
  return chosen;
}

std::size_t ProbePool::worst() const noexcept {
  const auto worse = [this](std::size_t a, std::size_t b) {
    if (weighed_[a].hot != weighed_[b].hot) return weighed_[a].hot;
    return weighed_[a].hot ? weighed_[a].load > weighed_[b].load
                           : weighed_[a].latency > weighed_[b].latency;
  };
  std::size_t found = 0;
  for (std::size_t i = 1; i < count_; ++i) found = worse(i, found) ? i : found;
  return found;
}

void ProbePool::use(std::size_t i) noexcept {
  ++probes_[i].in_flight;
  if (--probes_[i].uses == 0) erase(i);
}

}  // namespace evener
