// The supermarket model in closed form: Poisson arrivals, each to the shortest of `choices` queues
// drawn with replacement, exponential service, first come first served.
//
// Pure functions, any thread. `load` is arrivals per unit of capacity, in (0, 1); times are in mean
// service times. Limits are for n -> infinity servers unless they take n. REQUIRES: load in (0, 1),
// choices >= 1. Cost: microseconds, except where said.
// Sources: Vvedenskaya, Dobrushin, Karpelevich 1996; Mitzenmacher, IEEE TPDS 12(10), 2001.
#pragma once

#include <cstddef>

namespace evener::lab::theory {

// P(a queue has at least `length` jobs, the one in service counted).
double queue_tail(double load, std::size_t choices, std::size_t length);

// Mean time in system.
double supermarket_time(double load, std::size_t choices);

// Mean time in system of n servers: limit + correction / n, and O(1 / n^2) that shows above a load
// of 0.95. The refined mean field of Gast and Van Houdt, SIGMETRICS 2017. Milliseconds.
// REQUIRES: choices >= 2.
struct Refined {
  double limit = 0;
  double correction = 0;

  double at(double n) const { return limit + correction / n; }
};
Refined refined_time(double load, std::size_t choices);
// The same for queue_tail. REQUIRES: choices >= 2, length >= 1.
Refined refined_tail(double load, std::size_t choices, std::size_t length);

// (1 + beta) choice: two draws with probability beta, else one. Mitzenmacher 2001, section 5.
double beta_time(double load, double beta);

// Mean of the longest of n queues, if they were independent with the limit's tail: good for large
// n.
double longest_queue(double load, std::size_t choices, double n);

// A board of queue lengths renewed every `period`, between which every job trusts it. Within a
// period a server is M/M/1 at the constant rate that its posted length draws. Mitzenmacher, How
// useful is old information, IEEE TPDS 11(1), 2000. About 50 ms. REQUIRES: period > 0.
double stale_board_time(double load, std::size_t choices, double period);

}  // namespace evener::lab::theory
