// Bins: balls placed one after the other, lean: a count for each bin and nothing else.
//
// For millions of bins and billions of balls; the rows that place balls with the real Balancer are
// there to tie the two together. Free functions over the caller's counts; one thread; luck comes as
// an argument. Of equals the first drawn wins; draws come in random order, so ties are broken at
// random, except where a Rule says otherwise. Draws take 32 bits, with a bias below n / 2^32.
// Cost: one or two random numbers and `choices` cache lines a ball; figures in bench/lab.
// Sources: Azar, Broder, Karlin, Upfal 1999 (d choices); Voecking 2003 (go left); Mitzenmacher,
// Prabhakar, Shah 2002 (memory); Peres, Talwar, Wieder 2010 (1 + beta).
#pragma once

#include <evener/rng.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace evener::lab::balls {

enum class Ties : std::uint8_t {
  kRandom,
  kFirst,  // to the lowest index
};

struct Rule {
  std::uint32_t choices = 2;  // fresh draws a ball, 1..8
  bool replacement = false;   // draws may meet; else distinct
  Ties ties = Ties::kRandom;
  // A group of bins per choice, one draw in each, ties to the left.
  bool go_left = false;
  // The least loaded candidate after the placement is a further candidate of the next ball.
  bool memory = false;
  double beta = 1;  // with this probability compare, else take the first draw
};

// Places `balls` more balls. REQUIRES: bins.size() > rule.choices, below 2^31; no count overflows;
// of go_left, memory and beta < 1 at most one; beta < 1 with two choices.
template <typename Count>
void place(std::span<Count> bins, std::uint64_t balls, const Rule& rule, Rng& rng);

// Two choices in batches: the decisions of a batch see the counts of its beginning.
// Berenbrink, Czumaj, Englert, Friedetzky, Nagel 2012; Los, Sauerwald 2023.
void place_in_batches(std::span<std::uint32_t> bins, std::uint64_t balls, std::uint64_t batch,
                      const Rule& rule, Rng& rng);

// What two choices compare when balls have weights.
enum class Compare : std::uint8_t { kNothing, kWeight, kCount };
// Balls of exponential weight, mean 1. `weights` and `counts` are of the same size.
// Talwar, Wieder 2007.
void place_weighted(std::span<double> weights, std::span<std::uint32_t> counts, std::uint64_t balls,
                    Compare compare, Rng& rng);

template <typename Count>
Count most_loaded(std::span<const Count> bins);

}  // namespace evener::lab::balls
