// Capacity: how many endpoints a policy needs for a rate and a p99.
//
// By simulation of a steady state: equal servers, Poisson arrivals, the policy's own chooser. Each
// number of endpoints that is looked at gets `runs` independent runs; it is enough when the 95 %
// interval of the mean p99 is below the goal, too few when it is above, and undecided between. The
// search takes for granted that more endpoints are never worse, and looks at O(log n) of them. The
// same question gives the same answer, whatever the number of threads.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <vector>

#include "lab/scenario/contender.h"
#include "lab/stats.h"
#include "sim/distribution.h"

namespace evener::lab {

struct PlanQuestion {
  double rate = 100;                                              // calls per second
  sim::Distribution work = sim::Distribution::exponential(0.01);  // seconds
  std::uint32_t slots = 1;                                        // calls a server works on at once
  std::uint32_t balancers = 1;
  sim::Distribution delay;  // each way, seconds
  double p99_s = 0.1;       // the goal
  std::uint32_t runs = 6;
  std::uint64_t calls = 40'000;  // of a run, after its warm-up
  std::uint64_t seed = 1;
};
// Ranges, and whether any number of endpoints can meet the goal: else says why not.
std::expected<void, Error> check(const PlanQuestion& question);

struct PlanPoint {
  std::uint32_t endpoints = 0;
  double load = 0;
  Estimate p99_s;
  Estimate mean_s;
};

struct PlanAnswer {
  std::string policy;
  std::uint32_t endpoints = 0;    // the least that is enough; 0: more than kPlanMax
  std::uint32_t perhaps = 0;      // the least that may be enough: the interval's other end
  std::vector<PlanPoint> points;  // all that were looked at, fewest endpoints first
};

inline constexpr std::uint32_t kPlanMax = 20'000;

// REQUIRES: check(question) succeeds. `progress` after each point.
PlanAnswer plan(const PlanQuestion& question, const Contender& contender, unsigned jobs,
                const std::function<void()>& progress = {});

// A table of answers, each with the curve of p99 over endpoints as bars.
std::string plan_text(const PlanQuestion& question, const std::vector<PlanAnswer>& answers);
std::string plan_json(const PlanQuestion& question, const std::vector<PlanAnswer>& answers);

}  // namespace evener::lab
