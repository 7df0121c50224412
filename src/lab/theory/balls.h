// Balls into bins: fluid limits, distributions of the fullest bin, gaps, thresholds of hashing.
//
// Pure functions, any thread. Draws are with replacement in the limits (at n bins distinct draws
// differ by O(1/n)). Cost: milliseconds.
#pragma once

#include <cstddef>
#include <vector>

namespace evener::lab::theory {

// Shares of bins with at least 0, 1, ... `highest` balls after t n balls of `choices` choices each,
// n -> infinity: s_k' = s_{k-1}^d - s_k^d. Mitzenmacher 1996.
std::vector<double> ball_tails(std::size_t choices, double t = 1, std::size_t highest = 12);
// The same for Always-Go-Left, over all bins. Voecking 2003; Mitzenmacher, Voecking 1999.
// REQUIRES: choices >= 2.
std::vector<double> go_left_tails(std::size_t choices, double t = 1, std::size_t highest = 10);

// P(the fullest of n bins has k balls), by k, from tails: the number of bins with k or more is
// taken as Poisson. 0 at the last index, where tails end.
std::vector<double> fullest_distribution(const std::vector<double>& tails, double n);
double mean_of(const std::vector<double>& distribution);

// Exact for one choice, m balls in n bins, by generating functions: P(fullest = k) for k up to
// `highest`. O(highest m^2 log n). Milliseconds at 100.
std::vector<double> fullest_of_one_choice(std::size_t n, std::size_t m, std::size_t highest);

// E[fullest] - mean for one choice with `mean` balls a bin, bins independent Poisson.
double one_choice_gap(double n, double mean);
// Gonnet 1981: the mean of the fullest of n bins with n balls, inverse gamma(n) - 3/2.
double gonnet_fullest(double n);

// The root above 1 of x^d = 1 + x + ... + x^(d-1): Always-Go-Left has ln ln n / (d ln phi_d).
double go_left_base(std::size_t choices);

// The load at which a table with `hashes` places of `slots` slots each for a key can no longer be
// filled. Fountoulakis, Panagiotou 2012; Fernholz, Ramachandran and Cain, Sanders, Wormald 2007.
// REQUIRES: hashes >= 2, slots >= 1; (2, 1) is 1/2.
double cuckoo_threshold(std::size_t hashes, std::size_t slots);

}  // namespace evener::lab::theory
