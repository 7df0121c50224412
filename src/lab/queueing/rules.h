// Rules: ways to choose that theory knows and the catalog of policies has not: with a board of old
// queue lengths, with the work left, with idle servers that announce themselves.
//
// Each is a sim::Chooser over the fleet's servers, all of them, of any weight, present from the
// start. They look at the truth as the theory's models do: a board when it is renewed, the work
// left at each choice. One per balancer, one thread. Costs as stated.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/chooser.h"
#include "sim/fleet_options.h"

namespace evener::lab::queueing {

// A board with every server's queue, renewed at each tick (FleetOptions::tick_every is its period).
struct BoardRule {
  enum class Pick : std::uint8_t {
    kChoices,         // the shortest of `choices` distinct ones, ties at random
    kAll,             // the shortest of all, ties at random; O(n) per choice with `own`
    kInterpretation,  // basic load interpretation, Dahlin 2000: O(n log n) per tick
  };
  Pick pick = Pick::kChoices;
  std::uint32_t choices = 2;  // 1: at random
  bool own = false;           // adds what was sent since
  double per_period = 0;      // kInterpretation: calls expected in a period
};
sim::ChooserFactory board_rule(const BoardRule& rule);

// To the least work left of `choices` distinct servers, or of all (0): O(choices), O(n).
sim::ChooserFactory least_work_rule(std::uint32_t choices);

// Join idle queue, Lu et al. 2011: a server that becomes idle enters itself in the list of a random
// balancer; a balancer takes the longest waiting one in its list, skipping those that are not idle
// any more, else any server at random. Not to be used for two fleets: make one for each run.
sim::ChooserFactory join_idle_rule(const sim::FleetOptions& options);

// Local shortest queue, Vargaftik, Keslassy, Orda 2020: each balancer's own estimates, ties at
// random, plus one for each call sent; after each choice the estimate of one server at random
// becomes the truth. O(n).
sim::ChooserFactory local_shortest_rule();

// The real Balancer with `policy`; after each choice one server at random tells it how many
// requests it holds.
sim::ChooserFactory told_policy(const PolicySettings& policy);

}  // namespace evener::lab::queueing
