#include "lab/stats.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"

namespace evener::lab {
namespace {

constexpr double kNormal95 = 1.959963984540054;

double sorted_quantile(std::span<const double> sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

}  // namespace

double mean(std::span<const double> values) {
  EV_CHECK(!values.empty(), "there are values");
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double center = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return sum / static_cast<double>(values.size() - 1);
}

double student_t95(std::size_t degrees) {
  EV_CHECK(degrees >= 1, "there is a degree of freedom");
  const boost::math::students_t law(static_cast<double>(degrees));
  return boost::math::quantile(law, 0.975);
}

Estimate mean_of_runs(std::span<const double> runs) {
  if (runs.size() < 2) return {mean(runs), std::numeric_limits<double>::infinity(), runs.size()};
  const double error = std::sqrt(variance(runs) / static_cast<double>(runs.size()));
  return {mean(runs), error > 0 ? student_t95(runs.size() - 1) * error : 0, runs.size()};
}

Estimate batch_means(std::span<const double> values, std::size_t batches) {
  EV_CHECK(batches >= 2 && values.size() >= batches, "at least two batches, and a value in each");
  const std::size_t length = values.size() / batches;
  const std::span<const double> used = values.last(length * batches);
  std::vector<double> means(batches);
  for (std::size_t i = 0; i < batches; ++i) means[i] = mean(used.subspan(i * length, length));
  return mean_of_runs(means);
}

Estimate share_of_runs(std::size_t hits, std::size_t runs) {
  EV_CHECK(runs > 0 && hits <= runs, "hits are among the runs");
  const auto n = static_cast<double>(runs);
  const double p = static_cast<double>(hits) / n;
  constexpr double z2 = kNormal95 * kNormal95;
  const double spread = kNormal95 * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
  const double center = (p + z2 / (2 * n)) / (1 + z2 / n);
  return {p, spread + std::abs(center - p), runs};
}

double quantile(std::vector<double> values, double q) {
  EV_CHECK(!values.empty() && q >= 0 && q <= 1, "there are values, and q is a share");
  std::ranges::sort(values);
  return sorted_quantile(values, q);
}

Estimate quantile_of(std::vector<double> values, double q) {
  EV_CHECK(!values.empty() && q > 0 && q < 1, "there are values, and q is inside");
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  const double reach = kNormal95 * std::sqrt(q * (1 - q) / n);
  const double low = sorted_quantile(values, std::max(0.0, q - reach));
  const double high = sorted_quantile(values, std::min(1.0, q + reach));
  const double value = sorted_quantile(values, q);
  return {value, std::max(high - value, value - low), values.size()};
}

std::size_t warm_up_length(std::span<const double> values) {
  constexpr std::size_t kGroup = 5;
  const std::size_t groups = values.size() / kGroup;
  if (groups < 4) return 0;
  std::vector<double> means(groups);
  for (std::size_t i = 0; i < groups; ++i) means[i] = mean(values.subspan(i * kGroup, kGroup));
  // From the back, so that each cut's sum and sum of squares follow from the last one's.
  double sum = 0;
  double squares = 0;
  double least = std::numeric_limits<double>::infinity();
  std::size_t cut = groups / 2;
  for (std::size_t i = groups; i-- > 0;) {
    sum += means[i];
    squares += means[i] * means[i];
    const auto left = static_cast<double>(groups - i);
    if (i > groups / 2) continue;
    const double error = (squares - sum * sum / left) / (left * left);
    if (error <= least) {
      least = error;
      cut = i;
    }
  }
  return cut * kGroup;
}

Settling settling(std::span<const double> course) {
  constexpr std::size_t kEnough = 40;
  constexpr double kGrows = 1.2;
  Settling out;
  if (course.size() < kEnough) return out;
  const std::size_t n = course.size();
  out.share = static_cast<double>(warm_up_length(course)) / static_cast<double>(n);
  const double third = mean(course.subspan(n / 2, n / 4));
  if (third > 0) out.growth = mean(course.last(n / 4)) / third;
  const bool at_the_end = out.share >= 0.5 - 5.0 / static_cast<double>(n);
  out.settled = !(at_the_end && out.growth >= kGrows);
  return out;
}

}  // namespace evener::lab
