// Balls into bins: E07 to E17.
//
// Each function gives the experiment's facts; registry.cc lists them. Rows say which engine placed
// the balls: "lean" is balls/bins.h, "evener" is the real Balancer with the named policy, where a
// pick that is never finished is a ball and in-flight is the bin's load.
#pragma once

#include "lab/experiment.h"

namespace evener::lab::balls {

Experiment max_load();        // E07
Experiment two_choices();     // E08
Experiment max_load_table();  // E09
Experiment million_bins();    // E10
Experiment go_left();         // E11
Experiment heavy_gap();       // E12
Experiment one_choice_gap();  // E13
Experiment one_plus_beta();   // E14
Experiment weighted_balls();  // E15
Experiment batches();         // E16
Experiment memory();          // E17

}  // namespace evener::lab::balls
