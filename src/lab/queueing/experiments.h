// Queueing: E01 to E06, E18 to E31, E34: what a balancer's rule does to waiting.
//
// Each function gives the experiment's facts; registry.cc lists them. Rows that name a policy run
// the real Balancer (sim/balancer_chooser.h); rows that name a rule run one from rules.h.
// Times are in mean service times of a server of speed 1.
#pragma once

#include "lab/experiment.h"

namespace evener::lab::queueing {

// supermarket.cc
Experiment single_server();     // E01
Experiment fluid_limit();       // E02
Experiment published_table();   // E03
Experiment published_heavy();   // E03b
Experiment sampling_matters();  // E04
Experiment tail_shape();        // E05
Experiment few_servers();       // E06
// stale.cc
Experiment stale_board();     // E18
Experiment stale_order();     // E19
Experiment own_increments();  // E20
// many.cc
Experiment many_balancers();        // E21
Experiment local_shortest_queue();  // E22
Experiment join_idle_queue();       // E29
// rules_compared.cc
Experiment round_robin();        // E23
Experiment least_work_left();    // E24
Experiment floor_of_all();       // E25
Experiment least_work_of_two();  // E26
// variability.cc
Experiment pollaczek_khinchine();  // E27
Experiment variability();          // E28
// slow_half.cc
Experiment slow_half();           // E30
Experiment slow_half_repaired();  // E31
// redundancy.cc
Experiment redundancy();  // E34

}  // namespace evener::lab::queueing
