#include "lab/scenario/render_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace evener::lab {
namespace {

using nlohmann::ordered_json;

std::string time_text(double s) {
  if (!std::isfinite(s)) return "-";
  if (s >= 1) return fmt::format("{:.2f} s", s);
  if (s >= 0.1) return fmt::format("{:.0f} ms", s * 1e3);
  if (s >= 0.01) return fmt::format("{:.1f} ms", s * 1e3);
  return fmt::format("{:.2f} ms", s * 1e3);
}

std::string regret_text(double regret) {
  return std::isfinite(regret) ? fmt::format("{:.2f}", regret) : "never";
}

std::string name_of(const Contest& contest, const Situation& situation) {
  return title(contest.scenarios[situation.scenario], situation.load);
}

// NaN and infinity are no JSON.
ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

std::size_t widest_name(const Contest& contest) {
  std::size_t width = 6;
  for (const Contender& one : contest.contenders) width = std::max(width, one.text.size());
  return width;
}

// What was not measured, beside what the runs of a steady scenario say of it.
std::string warm_up_text(const Contest& contest, const SituationScores& of) {
  const Scenario& scenario = contest.scenarios[of.situation.scenario];
  std::string out = fmt::format("warm-up: the first {:g} s of {:g} s are not measured",
                                scenario.fleet.warm_up_s, scenario.fleet.until_s);
  if (!scenario.steady) return out + "\n";
  const double cut = scenario.fleet.warm_up_s / scenario.fleet.until_s;
  std::string longer;
  double most = 0;
  for (std::size_t i = 0; i < of.scores.size(); ++i) {
    const Settling& settling = of.scores[i].settling;
    if (!settling.settled) continue;
    most = std::max(most, settling.share);
    if (settling.share <= cut) continue;
    longer += fmt::format("{}{} ({:.2g} s)", longer.empty() ? "" : ", ", contest.contenders[i].text,
                          settling.share * scenario.fleet.until_s);
  }
  out += fmt::format("; MSER-5 would cut {:.2g} s at most (median of runs)",
                     most * scenario.fleet.until_s);
  return out + (longer.empty() ? "\n" : fmt::format(", more than that for {}\n", longer));
}

// Nobody should have to find out for themselves where the best of ours is beaten.
std::string beaten_text(const Contest& contest, const Scoreboard& board) {
  constexpr double kClearly = 1.1;
  const auto side = [&](std::size_t i) { return contest.contenders[i].side; };
  const auto best = std::ranges::find_if(board.standings, [&](const Standing& standing) {
    return side(standing.contender) == Contender::Side::kOurs;
  });
  if (best == board.standings.end()) return {};
  std::string out;
  for (const SituationScores& of : board.situations) {
    std::size_t peer = of.scores.size();
    for (std::size_t i = 0; i < of.scores.size(); ++i) {
      if (side(i) != Contender::Side::kPeer) continue;
      if (peer == of.scores.size() || of.scores[i].regret < of.scores[peer].regret) peer = i;
    }
    if (peer == of.scores.size()) continue;
    const double times = of.scores[best->contender].regret / of.scores[peer].regret;
    if (!(times > kClearly)) continue;
    out += fmt::format("  {}: {}, {:.2f} times\n", name_of(contest, of.situation),
                       contest.contenders[peer].text, times);
  }
  if (out.empty()) return {};
  return fmt::format("\nWhere a peer's p99 is better than that of {} by more than {:g}:\n{}",
                     contest.contenders[best->contender].text, kClearly, out);
}

}  // namespace

std::string conventions_text(const Contest& contest) {
  return fmt::format(
      "Regret: p99 over the p99 of the situation's bound: the oracle (central queue) where servers "
      "are alike,\nfirst come first served and nothing goes wrong; else the best of all, oracle "
      "included.\nA failed call counts as one that took the scenario's error_time. +-: 95 % "
      "interval over independent runs;\nall meet the same arrivals. Seed {}.\n",
      contest.seed);
}

std::string score_text(const Contest& contest, const Scoreboard& board) {
  const std::size_t width = widest_name(contest);
  std::string out = fmt::format("{:<{}}  {:>12}  {:>8}  {}\n", "policy", width, "worst regret",
                                "typical", "worst in");
  for (const Standing& standing : board.standings) {
    const Contender& who = contest.contenders[standing.contender];
    out += fmt::format("{:<{}}  {:>12}  {:>8}  {}\n", who.text, width, regret_text(standing.worst),
                       regret_text(standing.typical),
                       name_of(contest, board.situations[standing.worst_at].situation));
  }
  return out + beaten_text(contest, board);
}

std::string situation_text(const Contest& contest, const Scoreboard& board, std::size_t situation) {
  const SituationScores& of = board.situations[situation];
  const Scenario& scenario = contest.scenarios[of.situation.scenario];
  const std::size_t width = widest_name(contest);
  std::string out =
      fmt::format("{}: {}\nbound: p99 {} of {}{}\n", name_of(contest, of.situation), scenario.about,
                  time_text(of.bound), contest.contenders[of.bound_of].text,
                  of.central_queue ? ", the central queue" : ", the best here");
  out += warm_up_text(contest, of);
  out +=
      fmt::format("{:<{}}  {:>9} {:>9} {:>9} {:>9} {:>8} {:>9}  {:>7} {:>7} {:>7}\n", "policy",
                  width, "mean", "p50", "p90", "p99", "+-", "p99.9", "longest", "errors", "regret");
  std::vector<std::size_t> order(of.scores.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(of.scores[i].regret, i); });
  for (const std::size_t i : order) {
    const Score& score = of.scores[i];
    const auto at = [&](std::size_t q) { return time_text(score.quantiles[q].value); };
    out += fmt::format("{:<{}}  {:>9} {:>9} {:>9} {:>9} {:>8} {:>9}  {:>7} {:>6.2f}% {:>7}\n",
                       contest.contenders[i].text, width, time_text(score.mean.value), at(kP50),
                       at(kP90), at(kP99), time_text(score.quantiles[kP99].half_width), at(kP999),
                       score.longest_queue, score.error_share * 100, regret_text(score.regret));
    if (!score.stopped.empty()) out += fmt::format("{:<{}}  {}\n", "", width, score.stopped);
    if (score.settling.settled) continue;
    out += fmt::format("{:<{}}  never settles: its last quarter takes {:.2f} times its third\n", "",
                       width, score.settling.growth);
  }
  return out;
}

std::string score_json(const Contest& contest, const Scoreboard& board) {
  ordered_json out = {{"seed", contest.seed}, {"scale", contest.scale}};
  for (const Standing& standing : board.standings) {
    out["standings"].push_back(
        {{"policy", contest.contenders[standing.contender].text},
         {"worst_regret", number(standing.worst)},
         {"worst_in", name_of(contest, board.situations[standing.worst_at].situation)},
         {"typical_regret", number(standing.typical)}});
  }
  for (const SituationScores& of : board.situations) {
    ordered_json situation = {{"situation", name_of(contest, of.situation)},
                              {"about", contest.scenarios[of.situation.scenario].about},
                              {"bound_s", number(of.bound)},
                              {"bound_of", contest.contenders[of.bound_of].text},
                              {"central_queue", of.central_queue}};
    for (std::size_t i = 0; i < of.scores.size(); ++i) {
      const Score& score = of.scores[i];
      ordered_json row = {{"policy", contest.contenders[i].text},
                          {"mean_s", number(score.mean.value)}};
      for (std::size_t q = 0; q < kQuantiles.size(); ++q) {
        row[fmt::format("p{:g}_s", kQuantiles[q] * 100)] = number(score.quantiles[q].value);
      }
      row["p99_half_width_s"] = number(score.quantiles[kP99].half_width);
      row["error_share"] = number(score.error_share);
      row["attempts_per_call"] = number(score.attempts_per_call);
      row["longest_queue"] = score.longest_queue;
      row["regret"] = number(score.regret);
      if (contest.scenarios[of.situation.scenario].steady) {
        row["warm_up_share"] = number(score.settling.share);
        row["settled"] = score.settling.settled;
      }
      if (!score.stopped.empty()) row["stopped"] = score.stopped;
      situation["scores"].push_back(std::move(row));
    }
    out["situations"].push_back(std::move(situation));
  }
  return out.dump(2) + "\n";
}

std::string score_csv(const Contest& contest, const Scoreboard& board) {
  std::string out =
      "situation,policy,mean_s,p50_s,p90_s,p99_s,p99_half_width_s,p99.9_s,"
      "longest_queue,error_share,regret\n";
  for (const SituationScores& of : board.situations) {
    for (std::size_t i = 0; i < of.scores.size(); ++i) {
      const Score& score = of.scores[i];
      out += fmt::format("{},\"{}\",{},{},{},{},{},{},{},{},{}\n", name_of(contest, of.situation),
                         contest.contenders[i].text, score.mean.value, score.quantiles[kP50].value,
                         score.quantiles[kP90].value, score.quantiles[kP99].value,
                         score.quantiles[kP99].half_width, score.quantiles[kP999].value,
                         score.longest_queue, score.error_share, score.regret);
    }
  }
  return out;
}

}  // namespace evener::lab
