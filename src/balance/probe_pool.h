// ProbePool: what a balancer lately heard from a few endpoints, and Prequal's rule over it.
//
// At most 16 probes, the newest of each endpoint, none older than a second. Hot is a probe whose
// load is above the 0.84 quantile of the pool's; the choice is the cold one of least latency, else
// the hot one of least load. Using a probe adds a request to it; after its budget of uses it is
// gone. Taking the best each time would leave a pool of bad ones, so one is removed per pick, the
// oldest and the worst in turn. Load and latency are per weight: `factor(slot)` multiplies both.
// Owned by one policy and its thread; no allocation; O(16) per call.
// Source: Wydrowski, Kleinberg, Rumble, Archer, "Load is not what you should balance: introducing
// Prequal", NSDI 2024.
#pragma once

#include <evener/rng.h>
#include <evener/time.h>

#include <array>
#include <cstdint>

namespace evener {

struct Probe {
  std::uint32_t slot = 0;
  std::uint32_t in_flight = 0;
  double latency_ns = 0;
  Time at;
  std::uint32_t uses = 1;  // left
};

class ProbePool {
 public:
  static constexpr std::size_t kMost = 16;
  static constexpr std::size_t kProbesPerPick = 3;
  static constexpr std::size_t kRemovedPerPick = 1;
  static constexpr Duration kAge = Duration::seconds(1);

  // Probes kept of n endpoints: no more than a third of them, so that few are known twice and the
  // reuse budget below stays finite.
  static std::size_t capacity(std::size_t n);
  // How often a probe may be used: with m of n endpoints in the pool, what comes in less what is
  // removed must last for the picks, with as much again to spare. At least 1; where nothing would
  // be left, kMost.
  static double reuse(std::size_t m, std::size_t n);

  // Empty, for n endpoints.
  void reset(std::size_t n);
  std::size_t size() const { return count_; }
  const Probe& operator[](std::size_t i) const { return probes_[i]; }

  // Replaces the endpoint's last one, or the oldest when the pool is full.
  void add(Probe probe, Rng& rng) noexcept;
  // Forgets those that are too old, and those for which out(slot).
  template <typename Out>
  void clean(Time now, Out&& out) noexcept {
    for (std::size_t i = count_; i > 0; --i) {
      if (now - probes_[i - 1].at > kAge || out(probes_[i - 1].slot)) erase(i - 1);
    }
  }
  // The one to pick, of equals one at random; its index. REQUIRES: size() > 0.
  template <typename Factor>
  std::size_t best(Factor&& factor, Rng& rng) noexcept {
    weigh(factor);
    return pick_best(rng);
  }
  // One request goes there.
  void use(std::size_t i) noexcept;
  // The oldest and the worst, in turn.
  template <typename Factor>
  void remove_one(Factor&& factor) noexcept {
    if (count_ == 0) return;
    oldest_next_ = !oldest_next_;
    if (!oldest_next_) return erase(oldest());
    weigh(factor);
    erase(worst());
  }

 private:
  struct Weighed {
    double load;
    double latency;
    bool hot;
  };

  template <typename Factor>
  void weigh(Factor&& factor) noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      const double f = factor(probes_[i].slot);
      weighed_[i] = {(probes_[i].in_flight + 1.0) * f, probes_[i].latency_ns * f, false};
    }
    mark_hot();
  }
  void mark_hot() noexcept;
  std::size_t pick_best(Rng& rng) const noexcept;
  std::size_t oldest() const noexcept;
  std::size_t worst() const noexcept;
  void erase(std::size_t i) noexcept;

  std::array<Probe, kMost> probes_;  // the oldest first
  std::array<Weighed, kMost> weighed_{};
  std::size_t count_ = 0;
  std::size_t capacity_ = 0;
  double reuse_ = 1;
  bool oldest_next_ = false;
};

}  // namespace evener
