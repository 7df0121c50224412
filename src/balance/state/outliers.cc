#include "balance/state/outliers.h"

#include <algorithm>
#include <cmath>

namespace evener {
namespace {

double success_rate(const OutcomeCounts& counts) {
  return static_cast<double>(counts.good) / counts.all();
}

// Below this success rate an endpoint is an outlier; negative when too few took part.
double success_limit(std::span<const OutlierSample> samples, const EjectionSettings& settings) {
  if (settings.success_deviations <= 0) return -1;
  double sum = 0;
  std::size_t hosts = 0;
  const auto takes_part = [&settings](const OutlierSample& sample) {
    return sample.counts.all() >= std::max(settings.success_requests, 1U);
  };
  for (const OutlierSample& sample : samples) {
    if (!takes_part(sample)) continue;
    sum += success_rate(sample.counts);
    ++hosts;
  }
  if (hosts < std::max(settings.success_endpoints, 2U)) return -1;
  const double mean = sum / static_cast<double>(hosts);
  double squares = 0;
  for (const OutlierSample& sample : samples) {
    if (!takes_part(sample)) continue;
    const double off = success_rate(sample.counts) - mean;
    squares += off * off;
  }
  const double deviation = std::sqrt(squares / static_cast<double>(hosts));
  return mean - std::max(deviation * settings.success_deviations, settings.success_margin);
}

bool failure_detector_applies(std::span<const OutlierSample> samples,
                              const EjectionSettings& settings) {
  const auto hosts = std::ranges::count_if(samples, [&settings](const OutlierSample& sample) {
    return sample.counts.all() >= std::max(settings.failure_requests, 1U);
  });
  return hosts >= static_cast<std::ptrdiff_t>(settings.failure_endpoints);
}

double badness(const Outlier& outlier) {
  const double share = static_cast<double>(outlier.reason.count) / outlier.reason.of;
  return outlier.reason.cause == EjectionCause::kSlow ? share - 1 : share;
}

}  // namespace

void find_outliers(std::span<const OutlierSample> samples, const EjectionSettings& settings,
                   std::vector<Outlier>& out) {
  out.clear();
  const double limit = success_limit(samples, settings);
  const bool shares = failure_detector_applies(samples, settings);
  for (const auto& [slot, counts] : samples) {
    const std::uint32_t all = counts.all();
    if (all == 0) continue;
    if (shares && all >= settings.failure_requests && counts.bad > settings.failure_share * all) {
      out.push_back({slot, {EjectionCause::kFailureShare, counts.bad, all}});
    } else if (all >= settings.success_requests && success_rate(counts) < limit &&
               counts.bad >= settings.success_failures) {
      out.push_back({slot, {EjectionCause::kSuccessRate, counts.bad, all}});
    } else if (settings.slow_multiple > 0 && counts.good >= std::max(settings.slow_requests, 1U) &&
               counts.slow > counts.good / 2) {
      out.push_back({slot, {EjectionCause::kSlow, counts.slow, counts.good}});
    }
  }
  std::ranges::sort(out, std::greater<>(), badness);
}

}  // namespace evener
