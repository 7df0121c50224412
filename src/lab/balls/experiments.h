// Balls into bins: E07 to E17.
//
// Each function gives the experiment's facts; registry.cc lists them. Rows say which engine placed
// the balls: "lean" is Bins (balls/bins.h), "evener" is the real Balancer with the named policy,
// where a pick that is never finished is a ball and in-flight is the bin's load.
#pragma once

#include "lab/experiment.h"

namespace evener::lab::balls {

Experiment max_load_one();  // E07

}  // namespace evener::lab::balls
