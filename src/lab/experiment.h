// Experiment: a claim of the theory as something to run: what it is, what to simulate, what to
// expect.
//
// An experiment is a row of facts and a function that makes its Plan: a list of cells, each a
// number of independent replications, and a judgement that turns all results into a Report. Cells
// share nothing, so run() spreads the replications over threads, and could spread them over
// machines. A replication gets an Rng that follows from (seed, experiment, cell, replication)
// alone: the same seed gives the same report, bit for bit, whatever the number of threads.
//
// Writing one: a function `Plan plan(const PlanOptions&)` in a .cc of the family's folder, its
// Experiment in the family's header, a line in registry.cc. What runs in a cell must not touch
// anything mutable outside it: it is called on many threads at once.
#pragma once

#include <evener/rng.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/report.h"
#include "lab/stats.h"

namespace evener::lab {

// What one replication found: numbers whose meaning the experiment knows; the same count each time.
using Sample = std::vector<double>;

// A cell of a plan, to find its results again.
enum class CellId : std::size_t {};

struct Cell {
  std::string name;  // unique in its plan; part of the seed
  std::size_t runs = 1;
  std::function<Sample(Rng&)> run;
  double seconds = 0;  // one replication's time on one core, roughly: to show progress
};

// All replications' samples, by cell and replication.
class Results {
 public:
  explicit Results(std::vector<std::vector<Sample>> samples) : samples_(std::move(samples)) {}

  const std::vector<Sample>& of(CellId cell) const {
    return samples_[static_cast<std::size_t>(cell)];
  }
  // The `index`th number of each replication.
  std::vector<double> column(CellId cell, std::size_t index = 0) const;
  // Its mean with the interval over independent runs.
  Estimate mean(CellId cell, std::size_t index = 0) const;
  // The share of replications for which the number equals `value`.
  Estimate share(CellId cell, double value, std::size_t index = 0) const;
  double least(CellId cell, std::size_t index = 0) const;
  double most(CellId cell, std::size_t index = 0) const;

 private:
  std::vector<std::vector<Sample>> samples_;
};

struct PlanOptions {
  // Multiplies the number of replications (Plan::cell does) or, where an experiment says so, their
  // length. Tolerances are set for 1; below it they grow by 1 / sqrt(scale).
  double scale = 1;
};

class Plan {
 public:
  using Judge = std::function<void(const Results&, Report&)>;

  explicit Plan(const PlanOptions& options) : scale_(options.scale) {}

  // `runs` x scale replications, at least two. `seconds`: of one, on one core.
  CellId cell(std::string name, std::size_t runs, double seconds, std::function<Sample(Rng&)> run);
  // `runs` replications whatever the scale: for what is deterministic, or long.
  CellId fixed(std::string name, std::size_t runs, double seconds, std::function<Sample(Rng&)> run);
  // Called once, after all replications, on the caller's thread.
  void judge(Judge judge) { judge_ = std::move(judge); }

  // The cell's runs measure a steady state and leave out `cut` of their calls at the front. Number
  // `index` of a sample is the run's Settling::share, the next one its growth, then 1 if it
  // settled.
  void steady(CellId cell, double cut, std::size_t index) { steady_.push_back({cell, cut, index}); }

  struct Steady {
    CellId cell;
    double cut;
    std::size_t index;
  };
  const std::vector<Steady>& all_steady() const { return steady_; }

  double scale() const { return scale_; }
  const std::vector<Cell>& cells() const { return cells_; }
  const Judge& judgement() const { return judge_; }

 private:
  double scale_;
  std::vector<Cell> cells_;
  std::vector<Steady> steady_;
  Judge judge_;
};

// What moves the third digit and must therefore be said.
struct Conventions {
  std::string_view sampling;  // distinct or with replacement
  std::string_view ties;      // at random, to the first
  std::string_view counting;  // whether the job in service counts; for balls: what a load is
};

struct Experiment {
  std::string_view id = {};       // "E07"
  std::string_view name = {};     // "max-load": lower case, digits, '-'
  std::string_view summary = {};  // one line
  std::string_view source = {};   // papers
  Conventions conventions = {};
  bool nightly = false;  // too slow for `lab check` without --nightly
  double seconds = 1;    // of the whole, on two cores
  Plan (*plan)(const PlanOptions&) = nullptr;
};

// Of one experiment. `done` and `total` are the plan's estimated core seconds, or replications
// where it gives none.
struct Progress {
  std::string_view id;
  double done = 0;
  double total = 0;
};

struct RunOptions {
  std::uint64_t seed = 1;
  unsigned jobs = 1;  // threads, at least 1
  double scale = 1;   // > 0
  // What a check that fails within a replication says as well: how to run it again.
  std::string note = {};
  // Called on the caller's thread, about once a second or more often.
  std::function<void(const Progress&)> progress = {};
};

// REQUIRES: experiment.plan, options.jobs >= 1, options.scale > 0.
Report run(const Experiment& experiment, const RunOptions& options);

// The stream of one replication.
Rng replication_rng(std::uint64_t seed, std::string_view experiment, std::string_view cell,
                    std::size_t replication);

}  // namespace evener::lab
