// Cells of queueing experiments: one fleet's run as a replication, and what is read from it.
//
// Independent runs; the first part of each is warm-up and not measured: a fixed part, set so that
// it is longer than what MSER-5 finds, which the report's header says (docs/theory.md). Means use
// the offered load as a control variate: a run that by luck got more work than the parameters say
// also waited longer, so most of the noise is a straight line in (work that came / capacity -
// load), whose expected value is known to be 0; what is left has a far smaller interval. Law,
// Simulation Modeling and Analysis, section 11.4.
#pragma once

#include <cstdint>
#include <string>

#include "lab/experiment.h"
#include "sim/fleet.h"

namespace evener::lab::queueing {

inline constexpr double kService_s = 0.01;  // the mean service time

// The numbers of a Sample.
enum Figure : std::size_t {
  kMean,
  kExcess,  // offered load minus the load asked for
  kP50,
  kP99,
  kP999,
  kTail1,  // P(at least 1), then 2, up to 6
  kLongest = kTail1 + 6,
  kWarmUp,  // as Plan::steady wants them
  kGrowth,
  kSettled,
  kFigures,
};

// `n` equal servers of one slot at `load`, exponential work, one balancer, `calls` in all.
// `warm_up`: the part that is not measured.
sim::FleetOptions fleet(std::uint32_t n, double load, std::uint64_t calls,
                        const sim::ChooserFactory& chooser, double warm_up = 0.1);
// The chooser of a policy of the catalog.
sim::ChooserFactory policy(const char* name, std::uint32_t choices = 2, bool replacement = false);

// Makes choosers for one run; for rules whose balancers share something.
using ChooserMaker = std::function<sim::ChooserFactory(const sim::FleetOptions&)>;

// A cell of `runs` such fleets with seeds of their own.
CellId add(Plan& plan, std::string name, std::size_t runs, const sim::FleetOptions& options,
           const ChooserMaker& make = nullptr);

// A figure's mean over the runs, with the offered load as control variate if there are runs enough
// to tell (six). Not for work of heavy tails, where no straight line holds.
Estimate controlled(const Results& results, CellId cell, std::size_t figure = kMean);

}  // namespace evener::lab::queueing
