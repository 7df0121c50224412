// Observers: what watches every pick and changes none: the ring of decisions and the shadow policy.
//
// Owned by the Core of one Balancer, which has none of it when neither was asked for. One thread.
// Cost per pick: a counter for the ring, and one copy of the trace every so many picks; the shadow
// costs what its policy costs. No allocation after construction.
#pragma once

#include <evener/balancer.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "balance/pool_view.h"

namespace evener::balance_internal {

// A pick as it was, with the identities behind its slots: those may be others' by the time it is
// read.
struct Decision {
  static constexpr std::uint32_t kExcludedMax = 8;
  struct Excluded {
    EndpointId id;
    std::uint8_t bars;  // of Bar
  };

  std::uint64_t sequence = 0;
  PickTrace trace;
  struct Terms {
    EndpointId id{};
    double weight = 1;
    float inverse = 1;
    float warmth = 1;
    std::uint32_t elsewhere = 0;
  };
  std::array<Terms, PickTrace::kCandidatesMax> terms{};  // of trace.entries
  std::array<EndpointId, PickTrace::kTriedMax> tried{};
  std::uint32_t excluded_count = 0;
  std::array<Excluded, kExcludedMax> excluded{};
};

class Observers {
 public:
  // Null when the options ask for nothing. REQUIRES: check_options(options) succeeds.
  static std::unique_ptr<Observers> make(const BalancerOptions& options);

  bool follows_load() const { return follows_load_; }
  void rebuild(const PoolView& pool);
  void changed(const PoolView& pool, std::uint32_t slot) noexcept {
    if (follows_load_) shadow_->changed(pool, slot);
  }
  void reported(const PoolView& pool, std::uint32_t slot, const EndpointReport& report,
                Time now) noexcept {
    if (takes_reports_) shadow_->reported(pool, slot, report, now);
  }
  // The pick is decided and not yet counted.
  void picked(const PoolView& pool, const PickContext& context, std::uint64_t sequence) noexcept;

  // The last `most`, newest first.
  std::vector<const Decision*> decisions(std::size_t most) const;
  ShadowReport shadow() const;

 private:
  explicit Observers(const BalancerOptions& options);
  void remember(const PoolView& pool, const PickTrace& trace, std::uint64_t sequence) noexcept;
  void ask_shadow(const PoolView& pool, const PickContext& context) noexcept;

  std::vector<Decision> ring_;
  std::size_t next_ = 0;
  std::size_t remembered_ = 0;
  std::uint32_t every_;
  std::uint32_t countdown_ = 1;

  std::unique_ptr<Policy> shadow_;
  std::string shadow_name_;
  bool follows_load_ = false;
  bool takes_reports_ = false;
  Rng rng_;
  PickTrace shadow_trace_;
  std::uint64_t asked_ = 0;
  std::uint64_t differs_ = 0;
  double load_ratios_ = 0;  // sums over where they differ
  double cost_ratios_ = 0;
};

// The decision that `trace` tells of.
void describe(const PoolView& pool, const PickTrace& trace, std::uint64_t sequence, Decision& out);

}  // namespace evener::balance_internal
