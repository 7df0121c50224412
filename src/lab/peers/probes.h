// Probes: Prequal's pool of probe replies and its hot-cold rule, by the paper's constants.
//
// Hot is a probe whose requests in flight (RIF) exceed the 2^-0.25 quantile of the pool's; the cold
// one of least latency is chosen, if none is cold the one of least RIF. A use adds a request to the
// probe and takes one of its uses; one probe is removed per call, the oldest and the worst in turn
// (the worst: the hot one of highest RIF, else the cold one of highest latency). Owned by one
// chooser. Cost: O(16). Facts: peers-clients.md 2.12; theory.md 3.
#pragma once

#include <evener/rng.h>
#include <evener/time.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace evener::lab::peers {

struct ProbeReply {
  std::uint32_t slot;
  std::uint32_t rif;
  double latency_ns;
  Time at;
  int uses = 1;  // left
};

class Probes {
 public:
  static constexpr std::size_t kMost = 16;
  static constexpr Duration kAge = Duration::seconds(1);
  static constexpr double kPerCall = 3;
  static constexpr double kRemoved = 1;
  static constexpr double kQuantile = 0.8408964152537145;  // 2^-0.25

  // max(1, (1 + delta) / ((1 - m / n) r_probe - r_remove)), delta 1; where nothing would be left
  // (n <= 24), kMost.
  static double reuse(std::size_t n);

  std::span<const ProbeReply> all() const { return std::span(probes_).first(count_); }
  // Takes the place of the same member's probe, else of the oldest when full.
  void add(const ProbeReply& reply);
  template <typename Gone>
  void forget(Time now, Gone&& gone) {
    for (std::size_t i = count_; i > 0; --i) {
      if (now - probes_[i - 1].at > kAge || gone(probes_[i - 1].slot)) erase(i - 1);
    }
  }
  // REQUIRES: all() is not empty.
  std::size_t best() const;
  void use(std::size_t i);
  void remove_one();

 private:
  std::uint32_t threshold() const;
  std::size_t worst() const;
  void erase(std::size_t i);

  std::array<ProbeReply, kMost> probes_;  // the oldest first
  std::size_t count_ = 0;
  bool oldest_next_ = true;
};

}  // namespace evener::lab::peers
