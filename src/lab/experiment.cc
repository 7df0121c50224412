#include "lab/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/check_note.h"
#include "lab/parallel.h"

namespace evener::lab {

std::vector<double> Results::column(CellId cell, std::size_t index) const {
  std::vector<double> out;
  out.reserve(of(cell).size());
  for (const Sample& sample : of(cell)) {
    EV_CHECK(index < sample.size(), "each sample has that number");
    out.push_back(sample[index]);
  }
  return out;
}

Estimate Results::mean(CellId cell, std::size_t index) const {
  return mean_of_runs(column(cell, index));
}

Estimate Results::share(CellId cell, double value, std::size_t index) const {
  const std::vector<double> values = column(cell, index);
  return share_of_runs(static_cast<std::size_t>(std::ranges::count(values, value)), values.size());
}

double Results::least(CellId cell, std::size_t index) const {
  return std::ranges::min(column(cell, index));
}

double Results::most(CellId cell, std::size_t index) const {
  return std::ranges::max(column(cell, index));
}

CellId Plan::cell(std::string name, std::size_t runs, double seconds,
                  std::function<Sample(Rng&)> run) {
  const double scaled = std::round(static_cast<double>(runs) * scale_);
  return fixed(std::move(name), static_cast<std::size_t>(std::max(2.0, scaled)), seconds,
               std::move(run));
}

CellId Plan::fixed(std::string name, std::size_t runs, double seconds,
                   std::function<Sample(Rng&)> run) {
  EV_CHECK(runs >= 1 && run, "a cell does something");
  EV_CHECK(std::ranges::find(cells_, name, &Cell::name) == cells_.end(), "cells' names are unique");
  cells_.push_back({std::move(name), runs, std::move(run), seconds});
  return static_cast<CellId>(cells_.size() - 1);
}

Rng replication_rng(std::uint64_t seed, std::string_view experiment, std::string_view cell,
                    std::size_t replication) {
  return Rng(seed).fork(experiment).fork(cell).fork(replication);
}

namespace {

// Some replications of one cell, done by one thread.
struct Chunk {
  std::size_t cell;
  std::size_t begin;
  std::size_t end;
  double seconds;
};

// Short replications go in one call, so that handing them out costs nothing; long ones alone, and
// the longest first, so that no thread is left with one at the end.
std::vector<Chunk> cut(const std::vector<Cell>& cells) {
  constexpr std::size_t kChunks = 64;
  std::vector<Chunk> chunks;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const std::size_t step = (cells[cell].runs + kChunks - 1) / kChunks;
    for (std::size_t begin = 0; begin < cells[cell].runs; begin += step) {
      const std::size_t end = std::min(begin + step, cells[cell].runs);
      // A cell that says nothing counts a little, so that progress moves.
      const double each = std::max(cells[cell].seconds, 1e-6);
      chunks.push_back({cell, begin, end, each * static_cast<double>(end - begin)});
    }
  }
  std::ranges::sort(chunks, std::greater(), &Chunk::seconds);
  return chunks;
}

// What the steady cells left out, beside what their runs say.
std::string warm_up_text(const Plan& plan, const Results& results) {
  double least = 1;
  double most = 0;
  double longest = 0;
  const Cell* longest_in = nullptr;
  std::string warnings;
  for (const Plan::Steady& steady : plan.all_steady()) {
    const Cell& cell = plan.cells()[static_cast<std::size_t>(steady.cell)];
    least = std::min(least, steady.cut);
    most = std::max(most, steady.cut);
    if (results.mean(steady.cell, steady.index + 2).value <= 0.5) {
      warnings += fmt::format("; {} never settles: its last quarter is {:.2f} times its third",
                              cell.name, results.mean(steady.cell, steady.index + 1).value);
      continue;
    }
    const double share = quantile(results.column(steady.cell, steady.index), 0.5);
    if (share > steady.cut) warnings += fmt::format("; {} needs {:.2g} %", cell.name, share * 100);
    if (longest_in != nullptr && share <= longest) continue;
    longest = share;
    longest_in = &cell;
  }
  if (plan.all_steady().empty()) return {};
  const std::string cut = least == most ? fmt::format("{:g} %", most * 100)
                                        : fmt::format("{:g} to {:g} %", least * 100, most * 100);
  const std::string found =
      longest_in == nullptr
          ? ""
          : fmt::format("; MSER-5 would cut {:.2g} % at most ({}, median of runs)", longest * 100,
                        longest_in->name);
  return fmt::format("first {} of the calls not measured{}{}", cut, found, warnings);
}

}  // namespace

Report run(const Experiment& experiment, const RunOptions& options) {
  EV_CHECK(experiment.plan != nullptr && options.jobs >= 1 && options.scale > 0,
           "an experiment, a thread and a scale");
  const Plan plan = experiment.plan({.scale = options.scale});
  const std::vector<Cell>& cells = plan.cells();
  const std::vector<Chunk> chunks = cut(cells);
  std::vector<std::vector<Sample>> samples(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) samples[i].resize(cells[i].runs);

  std::vector<double> before(chunks.size() + 1);
  for (std::size_t i = 0; i < chunks.size(); ++i) before[i + 1] = before[i] + chunks[i].seconds;
  for_each_index(
      chunks.size(), options.jobs,
      [&](std::size_t index) {
        const CheckNote note(options.note);
        const Chunk& chunk = chunks[index];
        const Cell& cell = cells[chunk.cell];
        for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
          Rng rng = replication_rng(options.seed, experiment.id, cell.name, i);
          samples[chunk.cell][i] = cell.run(rng);
        }
      },
      [&](std::size_t done) {
        if (options.progress) options.progress({experiment.id, before[done], before.back()});
      });

  Report report(std::max(1.0, 1 / std::sqrt(options.scale)));
  EV_CHECK(plan.judgement(), "a plan has a judgement");
  const Results results(std::move(samples));
  plan.judgement()(results, report);
  report.warm_up(warm_up_text(plan, results));
  return report;
}

}  // namespace evener::lab
