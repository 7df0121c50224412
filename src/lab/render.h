// Reports as text: a table for people, JSON and CSV for machines.
//
// Pure functions of the report: the same report gives the same bytes, and neither times nor the
// number of threads are in them. Colours are the caller's decision.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "lab/experiment.h"

namespace evener::lab {

struct Finished {
  const Experiment* experiment = nullptr;
  Report report;
};

struct Look {
  std::uint64_t seed = 1;
  double scale = 1;
  bool colours = false;
};

// "evener lab run E07 --seed 7": what gives the same figures again.
std::string replay_line(const Experiment& experiment, const Look& look);

// A line for each row that is off: what was expected, what came, and how to have it again.
std::string off_lines(const Experiment& experiment, const Report& report, const Look& look);

// Header (what, source, conventions, how the interval was made), table, and the line that gives the
// same again.
std::string to_text(const Experiment& experiment, const Report& report, const Look& look);
// One line for each row, for many experiments below each other.
std::string to_lines(const Experiment& experiment, const Report& report, const Look& look);
std::string to_json(std::span<const Finished> finished, const Look& look);
std::string to_csv(std::span<const Finished> finished);

std::string list_text(std::span<const Experiment> experiments);
std::string list_json(std::span<const Experiment> experiments);

}  // namespace evener::lab
