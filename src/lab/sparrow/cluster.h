// A cluster for jobs of many tasks, as Sparrow schedules it: workers of a few slots, each with one
// line, first come first served; a job is done when its last task is.
//
// The set-up of Sparrow's published simulator, without its network delay: 10,000 workers of 4
// slots, jobs of 100 tasks that all take the same time, which is exponential from job to job
// (EXP_JOBS). A small engine of its own: with immediate dispatch a task's end is known when it is
// placed, so only late binding needs events. Three rules are the product's: the policy p2c,
// pick_batch and LateBinding. Pure function of its arguments; one thread; about a second and 10 MB
// a run. Source: Ousterhout, Wendell, Zaharia, Stoica, Sparrow, SOSP 2013.
#pragma once

#include <evener/rng.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evener::lab::sparrow {

enum class Rule : std::uint8_t {
  kRandom,        // each task to a random worker
  kPerTask,       // each task to the shorter of two lines
  kBatch,         // twice as many workers as tasks looked at, one task to each of the least loaded
  kIdeal,         // one central line for all slots
  kProductP2c,    // as kPerTask, by a Balancer with p2c
  kProductBatch,  // Balancer::pick_batch: as kBatch, but one worker may get several tasks
  kLateBinding,   // evener::LateBinding: reservations at twice as many workers as tasks
};

struct Setup {
  std::uint32_t workers = 10'000;
  std::uint32_t slots = 4;
  std::uint32_t tasks = 100;  // of a job; at most half the workers
  double load = 0.8;
  std::size_t jobs = 60'000;  // the first tenth is warm-up and not returned
};

// Response times of jobs, in mean task times.
std::vector<double> response_times(Rule rule, const Setup& setup, Rng& rng);

}  // namespace evener::lab::sparrow
