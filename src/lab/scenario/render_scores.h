// A scoreboard as text and as data. Pure functions: the same results give the same bytes.
//
// score_text: standings, best worst regret first. situation_text: one situation's table.
// Times are printed in ms, s where they are long.
#pragma once

#include <string>

#include "lab/scenario/scores.h"

namespace evener::lab {

// What moves the figures: how regret and its bound are meant, how intervals are made.
std::string conventions_text(const Contest& contest);
std::string score_text(const Contest& contest, const Scoreboard& board);
std::string situation_text(const Contest& contest, const Scoreboard& board, std::size_t situation);
std::string score_json(const Contest& contest, const Scoreboard& board);
std::string score_csv(const Contest& contest, const Scoreboard& board);

// Results of some or all cells, with the contest they are of, for merging.
std::string results_json(const Contest& contest, const CellResults& results);

struct StoredResults {
  Contest contest;
  CellResults results;
};
// `files`: what results_json wrote, of the same contest, in any order. Errors: damaged, of
// different contests, a cell twice with different figures, a cell that no file has.
std::expected<StoredResults, Error> merge_results(const std::vector<std::string>& files,
                                                  const std::vector<std::string>& names);

}  // namespace evener::lab
