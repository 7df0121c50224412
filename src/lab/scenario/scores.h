// Scores: contenders in scenarios: what is run, what each run found, and what that says.
//
// A Contest is a list of cells: scenario x load x contender x run. Cells share nothing, so they can
// be run on any number of threads or machines; the same seed gives the same figures. All contenders
// of a situation meet the same arrivals and the same work (common random numbers).
// A call that failed counts as one that took the scenario's error_time, so nobody wins by failing
// fast.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/scenario/contender.h"
#include "lab/scenario/scenario.h"
#include "lab/stats.h"

namespace evener::lab {

// The quantiles that each run notes, for tables and tail curves.
inline constexpr std::array kQuantiles = {0.10,  0.25, 0.50,  0.75,  0.90,   0.95,
                                          0.975, 0.99, 0.995, 0.999, 0.9995, 0.9999};
inline constexpr std::size_t kP50 = 2;
inline constexpr std::size_t kP90 = 4;
inline constexpr std::size_t kP99 = 7;
inline constexpr std::size_t kP999 = 9;

// Of one run, times in seconds.
struct CellResult {
  std::array<double, kQuantiles.size()> quantiles{};
  double mean = 0;
  std::uint64_t calls = 0;
  std::uint64_t errors = 0;
  std::uint64_t attempts = 0;
  std::uint32_t longest_queue = 0;
  std::uint64_t unfinished = 0;  // of the errors: had not ended when the run's time was over
  Settling settling;             // of a steady scenario
  std::string stopped;           // why it ended early; empty if it did not
};

struct Situation {
  std::size_t scenario = 0;
  std::size_t load = 0;
};

struct Contest {
  std::vector<Scenario> scenarios;
  std::vector<std::string> sources;  // the scenarios' text, for files of results
  std::vector<std::string> files;    // what names each on the command line
  std::vector<Contender> contenders;
  std::uint64_t seed = 1;
  double scale = 1;

  std::vector<Situation> situations() const;
};

// One cell: what to run, and its place in the results.
struct ContestCell {
  std::size_t situation = 0;
  std::size_t contender = 0;
  std::uint32_t run = 0;
};
// In the order of results. A pure function of the contest.
std::vector<ContestCell> cells_of(const Contest& contest);

using CellResults = std::vector<std::optional<CellResult>>;

struct ContestOptions {
  unsigned jobs = 1;
  // Only cells whose number leaves `shard` when divided by `shards`.
  std::size_t shard = 0;
  std::size_t shards = 1;
  std::function<void(std::size_t done, std::size_t of)> progress = {};
};
// REQUIRES: shard < shards; jobs >= 1.
CellResults run_contest(const Contest& contest, const ContestOptions& options);

// One contender in one situation, over all runs.
struct Score {
  std::array<Estimate, kQuantiles.size()> quantiles{};
  Estimate mean;
  double error_share = 0;
  double attempts_per_call = 0;
  std::uint32_t longest_queue = 0;
  double regret = 0;  // p99 over the situation's bound
  std::uint64_t unfinished = 0;
  Settling settling;  // its share and growth are medians; not settled if most runs are not
  std::string stopped;
};

struct SituationScores {
  Situation situation;
  std::vector<Score> scores;   // by contender
  double bound = 0;            // s
  std::size_t bound_of = 0;    // the contender whose p99 it is
  bool central_queue = false;  // then it bounds every policy that does not know the work
};

struct Standing {
  std::size_t contender = 0;
  double worst = 0;          // regret
  std::size_t worst_at = 0;  // the situation
  double typical = 0;        // geometric mean of the regrets
};

struct Scoreboard {
  std::vector<SituationScores> situations;
  std::vector<Standing> standings;  // best worst regret first; bounds are not in it
};

// The command that gives a contender's figures in a situation again, whatever else is run with it.
std::string replay_line(const Contest& contest, std::size_t scenario, std::size_t contender);
// A line for each contender and situation of which a run stopped or ran out of time: why, and how
// to have it again.
std::string failure_lines(const Contest& contest, const Scoreboard& board);

// REQUIRES: every cell has a result.
Scoreboard score(const Contest& contest, const CellResults& results);

}  // namespace evener::lab
