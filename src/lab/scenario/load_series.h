// Load over time: one run's requests at each server, for a report.
//
// A pure function of the contest and the scores, on `jobs` threads. The run is the contest's first:
// the same calls, so both contenders of a situation meet the same traffic. Cost: two runs for each
// situation.
#pragma once

#include <string>
#include <vector>

#include "lab/scenario/scores.h"

namespace evener::lab {

struct LoadSeries {
  struct Line {
    std::string name;               // "server 3", "median"
    std::vector<double> in_system;  // requests, by sample
  };

  std::string situation;
  std::size_t contender = 0;
  std::uint32_t servers = 0;
  // More servers than lines can show: quantiles over them, the highest first.
  bool bands = false;
  std::vector<double> at_s;
  std::vector<Line> lines;
  std::string stopped;  // why the run ended early; empty if it did not
};

inline constexpr std::uint32_t kServersAsLines = 16;
inline constexpr std::size_t kSamplesWanted = 240;

// For each situation: our first contender and the peer with the least regret, if there are such.
std::vector<LoadSeries> load_over_time(const Contest& contest, const Scoreboard& board,
                                       unsigned jobs);

}  // namespace evener::lab
