// Mean times in system of other ways to dispatch, in closed form or nearly.
//
// Pure functions, any thread. `load` is arrivals per unit of capacity, in (0, 1); times are in mean
// service times of a server of speed 1. Poisson arrivals; service is exponential unless said, first
// come first served. Cost: microseconds.
#pragma once

#include <cstddef>

namespace evener::lab::theory {

// M/M/n: one central queue, which is also what sending each job to the least work left does. No
// dispatch that ignores sizes is better. Erlang 1917; Foss 1980 for the bound.
double erlang_c_time(std::size_t n, double load);

// Round robin: every server is E_n/M/1. The G/M/1 queue: Kleinrock 1975, chapter 6.
double round_robin_time(std::size_t n, double load);

// A random server for each job: M/G/1. `second_moment` of service times of mean 1: 1 for equal
// ones, 2 for exponential, 1 + squared coefficient of variation in general. Pollaczek, Khinchine.
double pollaczek_khinchine_time(double load, double second_moment);

// LL(d): to the least work left of d servers, n -> infinity. The workload's tail at w is
// (load + (load^(1-d) - load) e^((d-1) w))^(1/(1-d)), the wait's its d-th power. Hellemans, Van
// Houdt 2018. REQUIRES: choices >= 2.
double least_work_time(double load, std::size_t choices);

// Copies of each job at `copies` of n servers, of independent sizes; the first to finish cancels
// the others. Exact. Gardner, Harchol-Balter, Scheller-Wolf, Van Houdt 2017. Independence is what
// lets it fall below one service time. REQUIRES: 1 <= copies <= n.
double redundancy_time(std::size_t n, std::size_t copies, double load);

// Join idle queue with many dispatchers of `servers` servers each; at random when none is idle. A
// large-system approximation. Lu et al. 2011.
double join_idle_time(double load, double servers);

// The highest load, as a part of all capacity, at which the shortest of `choices` distinct queues
// leaves `slow` of n servers stable that have `speed`, the others 1: jobs whose draws are all slow
// must not exceed what those can do. After Hurtado-Lange, Maguluri 2020.
double stable_load(std::size_t n, std::size_t slow, double speed, std::size_t choices);

// Mean of the largest of n exponential times: the harmonic number.
double slowest_of(std::size_t n);

}  // namespace evener::lab::theory
