#include "lab/scenario/scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/check.h"
#include "base/check_note.h"
#include "lab/experiment.h"
#include "lab/parallel.h"
#include "lab/shell_word.h"
#include "sim/fleet.h"

namespace evener::lab {
namespace {

CellResult run_cell(const Contest& contest, const Situation& situation, const ContestCell& cell) {
  const Scenario& scenario = contest.scenarios[situation.scenario];
  const std::string name = title(scenario, situation.load);
  const std::string again = fmt::format("{}, run {}. Again: {}", name, cell.run,
                                        replay_line(contest, situation.scenario, cell.contender));
  const CheckNote note(again);
  // Not the contender: all meet the same traffic.
  Rng luck = replication_rng(contest.seed, "scenario", name, cell.run);
  sim::FleetOptions options = options_at(scenario, situation.load, luck.u64());
  options.chooser = contest.contenders[cell.contender].chooser;
  const auto found = sim::run_fleet(options);
  EV_CHECK(found.has_value(), found.error().message);
  CellResult out;
  sim::TimeTally times = found->times;
  out.calls = found->calls + found->unfinished;
  out.errors = found->errors() + found->unfinished;
  out.unfinished = found->unfinished;
  for (std::uint64_t i = 0; i < out.errors; ++i) times.record(scenario.error_time);
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
    out.quantiles[i] = times.quantile_s(kQuantiles[i]);
  }
  out.mean = times.mean_s();
  out.attempts = found->attempts;
  out.longest_queue = found->longest_queue;
  if (scenario.steady) out.settling = settling(found->course.parts());
  out.stopped = found->stopped;
  return out;
}

double p99_of(const Score& score) {
  return score.stopped.empty() ? score.quantiles[kP99].value
                               : std::numeric_limits<double>::infinity();
}

Score score_of(std::span<const CellResult* const> runs) {
  Score out;
  const auto over_runs = [&](auto&& value) {
    std::vector<double> values;
    for (const CellResult* run : runs) values.push_back(value(*run));
    return mean_of_runs(values);
  };
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
    out.quantiles[i] = over_runs([i](const CellResult& run) { return run.quantiles[i]; });
  }
  out.mean = over_runs([](const CellResult& run) { return run.mean; });
  const auto median = [&](auto&& value) {
    std::vector<double> values;
    for (const CellResult* run : runs) values.push_back(value(*run));
    return quantile(std::move(values), 0.5);
  };
  out.settling.share = median([](const CellResult& run) { return run.settling.share; });
  out.settling.growth = median([](const CellResult& run) { return run.settling.growth; });
  out.settling.settled =
      median([](const CellResult& run) { return run.settling.settled ? 1.0 : 0.0; }) > 0.5;
  double calls = 0;
  double errors = 0;
  double attempts = 0;
  for (const CellResult* run : runs) {
    calls += static_cast<double>(run->calls);
    errors += static_cast<double>(run->errors);
    out.unfinished += run->unfinished;
    attempts += static_cast<double>(run->attempts);
    out.longest_queue = std::max(out.longest_queue, run->longest_queue);
    if (!run->stopped.empty()) out.stopped = run->stopped;
  }
  if (calls > 0) {
    out.error_share = errors / calls;
    out.attempts_per_call = attempts / calls;
  }
  return out;
}

void set_bound(const Contest& contest, SituationScores& of) {
  of.central_queue = contest.scenarios[of.situation.scenario].central_queue_bounds;
  of.bound = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < contest.contenders.size(); ++c) {
    const bool oracle = contest.contenders[c].side == Contender::Side::kBound;
    if (of.central_queue && !oracle) continue;
    if (p99_of(of.scores[c]) >= of.bound) continue;
    of.bound = p99_of(of.scores[c]);
    of.bound_of = c;
  }
  for (Score& score : of.scores) score.regret = p99_of(score) / of.bound;
}

}  // namespace

std::vector<Situation> Contest::situations() const {
  std::vector<Situation> out;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    const std::size_t loads = std::max<std::size_t>(1, scenarios[s].loads.size());
    for (std::size_t load = 0; load < loads; ++load) out.push_back({s, load});
  }
  return out;
}

std::vector<ContestCell> cells_of(const Contest& contest) {
  std::vector<ContestCell> out;
  const auto situations = contest.situations();
  for (std::size_t s = 0; s < situations.size(); ++s) {
    const std::uint32_t runs =
        scaled_runs(contest.scenarios[situations[s].scenario], contest.scale);
    for (std::size_t c = 0; c < contest.contenders.size(); ++c) {
      for (std::uint32_t run = 0; run < runs; ++run) out.push_back({s, c, run});
    }
  }
  return out;
}

CellResults run_contest(const Contest& contest, const ContestOptions& options) {
  const auto situations = contest.situations();
  const auto cells = cells_of(contest);
  std::vector<std::size_t> mine;
  for (std::size_t i = options.shard; i < cells.size(); i += options.shards) mine.push_back(i);
  CellResults out(cells.size());
  const auto work = [&](std::size_t i) {
    const ContestCell& cell = cells[mine[i]];
    out[mine[i]] = run_cell(contest, situations[cell.situation], cell);
  };
  const auto progress = [&](std::size_t done) {
    if (options.progress) options.progress(done, mine.size());
  };
  for_each_index(mine.size(), options.jobs, work, progress);
  return out;
}

std::string replay_line(const Contest& contest, std::size_t scenario, std::size_t contender) {
  std::string out = fmt::format("evener lab scenario {} --policy {} --seed {}",
                                shell_word(contest.files.at(scenario)),
                                shell_word(contest.contenders[contender].text), contest.seed);
  if (contest.scale != 1) out += fmt::format(" --scale {}", contest.scale);
  return out;
}

std::string failure_lines(const Contest& contest, const Scoreboard& board) {
  std::string out;
  for (const SituationScores& of : board.situations) {
    const Situation& situation = of.situation;
    for (std::size_t c = 0; c < of.scores.size(); ++c) {
      const Score& score = of.scores[c];
      if (score.stopped.empty() && score.unfinished == 0) continue;
      const std::string why =
          !score.stopped.empty()
              ? score.stopped
              : fmt::format("{} calls had not ended when the time was over", score.unfinished);
      out += fmt::format(
          "{}, {}: {}. Again: {}\n", title(contest.scenarios[situation.scenario], situation.load),
          contest.contenders[c].text, why, replay_line(contest, situation.scenario, c));
    }
  }
  return out;
}

Scoreboard score(const Contest& contest, const CellResults& results) {
  Scoreboard out;
  for (const Situation& situation : contest.situations()) {
    out.situations.push_back(
        {.situation = situation, .scores = std::vector<Score>(contest.contenders.size())});
  }
  const auto cells = cells_of(contest);
  std::vector<const CellResult*> runs;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EV_CHECK(results[i].has_value(), "a cell has no result");
    runs.push_back(&*results[i]);
    const bool last = i + 1 == cells.size() || cells[i + 1].run == 0;
    if (!last) continue;
    out.situations[cells[i].situation].scores[cells[i].contender] = score_of(runs);
    runs.clear();
  }
  for (SituationScores& of : out.situations) set_bound(contest, of);
  for (std::size_t c = 0; c < contest.contenders.size(); ++c) {
    if (contest.contenders[c].side == Contender::Side::kBound) continue;
    Standing standing{.contender = c};
    double logs = 0;
    for (std::size_t s = 0; s < out.situations.size(); ++s) {
      const double regret = out.situations[s].scores[c].regret;
      logs += std::log(regret);
      if (regret <= standing.worst) continue;
      standing.worst = regret;
      standing.worst_at = s;
    }
    standing.typical = std::exp(logs / static_cast<double>(out.situations.size()));
    out.standings.push_back(standing);
  }
  std::ranges::sort(out.standings, {},
                    [](const Standing& s) { return std::tuple(s.worst, s.typical, s.contender); });
  return out;
}

}  // namespace evener::lab
