// Statistics of experiments: means with confidence intervals, batch means, quantiles, warm-up.
//
// Pure functions over numbers, any thread. Cost: O(n), quantiles O(n log n). Sources: Law,
// Simulation Modeling and Analysis, chapters 4 and 9; each function names its own where it differs.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace evener::lab {

// A figure with its uncertainty.
struct Estimate {
  double value = 0;
  double half_width = 0;  // of the 95 % confidence interval; infinite when one run cannot tell
  std::size_t runs = 1;   // independent runs, or batches, that it rests on; 0: exact arithmetic
};

// The value itself, without uncertainty: arithmetic, or a fact of a run.
constexpr Estimate exact(double value) { return {value, 0, 0}; }

// REQUIRES: not empty.
double mean(std::span<const double> values);
// Unbiased, n - 1; 0 for fewer than two values.
double variance(std::span<const double> values);
// The two-sided 95 % point of Student's t. REQUIRES: degrees >= 1.
double student_t95(std::size_t degrees);

// Mean over independent runs, with Student's t. REQUIRES: not empty.
Estimate mean_of_runs(std::span<const double> runs);
// Mean of one long correlated run, cut into `batches` equal parts (what is left over at the front
// is dropped): the parts' means count as independent. Law, section 9.5.3. REQUIRES: batches >= 2,
// values.size() >= batches.
Estimate batch_means(std::span<const double> values, std::size_t batches = 32);
// The share of runs for which it holds, with a Wilson interval (Wilson 1927). Exact 0 and 1 get a
// width, too.
Estimate share_of_runs(std::size_t hits, std::size_t runs);

// The q-quantile, linear between order statistics. REQUIRES: not empty, 0 <= q <= 1.
double quantile(std::vector<double> values, double q);
// The same with a distribution-free interval from order statistics (binomial, normal
// approximation), for independent values. REQUIRES: not empty, 0 < q < 1.
Estimate quantile_of(std::vector<double> values, double q);

// How many values at the front to drop as warm-up: MSER-5 (White 1997): the cut that minimises the
// squared standard error of what is left, over means of five, in the first half. Half of all when
// no warm-up was short enough: the run is too short. O(n).
std::size_t warm_up_length(std::span<const double> values);

// What a run's own course says of its warm-up.
struct Settling {
  double share = 0;     // of the run, that MSER-5 takes for warm-up; at most a half
  double growth = 1;    // mean of the last quarter over that of the third
  bool settled = true;  // unless the warm-up has no end and the course still grows
};
// Of equal parts in order; as settled from the start when there are fewer than 40. A course whose
// least error is at its middle has not been seen to settle, which chance can do as well: it counts
// as growing when its last quarter is a fifth above the third.
Settling settling(std::span<const double> course);

}  // namespace evener::lab
