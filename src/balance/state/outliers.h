// The statistical detectors of ejection, as one pure function over counts (rules:
// evener/ejection.h).
//
// Any thread. Cost: O(samples), plus sorting those found; allocates only if `out` must grow.
#pragma once

#include <evener/ejection.h>

#include <cstdint>
#include <span>
#include <vector>

#include "balance/state/outcome_window.h"

namespace evener {

enum class EjectionCause : std::uint8_t {
  kNone,
  kConsecutive,
  kFailureShare,
  kSuccessRate,
  kSlow,
  kTrialFailed,
  kTrialTimedOut,
};

// Why an endpoint is ejected: so many of so many.
struct EjectionReason {
  EjectionCause cause = EjectionCause::kNone;
  std::uint32_t count = 0;
  std::uint32_t of = 0;
};

struct OutlierSample {
  std::uint32_t slot = 0;
  OutcomeCounts counts;
};

struct Outlier {
  std::uint32_t slot = 0;
  EjectionReason reason;
};

// Replaces `out` by the outliers among the samples, the worst first. Samples with too few requests
// for a detector are no part of its statistics.
void find_outliers(std::span<const OutlierSample> samples, const EjectionSettings& settings,
                   std::vector<Outlier>& out);

}  // namespace evener
