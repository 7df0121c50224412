#include "cli/lab_contest.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <optional>

#include "cli/config_file.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "io/socket.h"
#include "lab/html/page.h"
#include "lab/parallel.h"
#include "lab/scenario/builtin.h"
#include "lab/scenario/render_scores.h"
#include "lab/shell_word.h"

namespace evener::cli {
namespace {

void say(std::string_view command, std::string_view what) {
  fmt::print(stderr, "evener lab {}: {}\n", command, what);
}

// `word`: what names it on the command line.
bool add_scenario(std::string_view text, std::string_view file, std::string_view word,
                  lab::Contest& contest) {
  auto scenario = lab::parse_scenario(text, file);
  if (!scenario) {
    for (const auto& one : scenario.error()) {
      fmt::print(stderr, "{}\n", config::to_string(one));
    }
    return false;
  }
  const auto same = std::ranges::find(contest.scenarios, scenario->name, &lab::Scenario::name);
  if (same != contest.scenarios.end()) {
    fmt::print(stderr, "{}: a scenario named `{}` is there already: give it another name\n", file,
               scenario->name);
    return false;
  }
  contest.scenarios.push_back(std::move(*scenario));
  contest.sources.emplace_back(text);
  contest.files.emplace_back(word);
  return true;
}

std::string_view word_of(const lab::BuiltinScenario& one) {
  return one.file.substr(0, one.file.size() - std::string_view(".yaml").size());
}

// A file that exists, or the name of a scenario that comes with Evener.
bool add_by_name(const std::string& name, lab::Contest& contest) {
  for (const lab::BuiltinScenario& one : lab::builtin_scenarios()) {
    if (word_of(one) == name) return add_scenario(one.text, one.file, name, contest);
  }
  const auto text = read_file(name);
  if (text) return add_scenario(*text, name, name, contest);
  std::string names;
  for (const lab::BuiltinScenario& one : lab::builtin_scenarios()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", word_of(one));
  }
  fmt::print(stderr, "{}. Scenarios that come with Evener: {}\n", text.error(), names);
  return false;
}

// Nothing, and said, when the words are no contest.
std::optional<lab::Contest> contest_of(const ContestWords& words, std::string_view command) {
  lab::Contest out;
  out.seed = words.seed;
  out.scale = words.scale;
  bool good = true;
  for (const std::string& file : words.files) good = add_by_name(file, out) && good;
  if (words.files.empty()) {
    for (const auto& one : lab::builtin_scenarios()) {
      good = add_scenario(one.text, one.file, word_of(one), out) && good;
    }
  }
  if (!good) return std::nullopt;
  if (words.policies.empty()) {
    out.contenders = lab::default_contenders();
  } else {
    auto contenders = lab::parse_contenders(words.policies);
    if (!contenders) {
      say(command, contenders.error().message);
      return std::nullopt;
    }
    out.contenders = std::move(*contenders);
  }
  // Regret needs its bound.
  if (std::ranges::none_of(out.contenders, [](const lab::Contender& one) {
        return one.side == lab::Contender::Side::kBound;
      })) {
    out.contenders.push_back(lab::parse_contender("oracle").value());
  }
  return out;
}

struct Shard {
  std::size_t index = 0;
  std::size_t of = 1;
};

// "2/8": the second of eight.
std::optional<Shard> shard_of(const std::string& text) {
  if (text.empty()) return Shard{};
  Shard out;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, out.index);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '/') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, out.of);
  if (second.ec != std::errc() || second.ptr != end) return std::nullopt;
  if (out.index < 1 || out.index > out.of) return std::nullopt;
  --out.index;
  return out;
}

unsigned jobs_of(const ContestWords& words) {
  return words.jobs > 0 ? words.jobs : lab::available_cores();
}

lab::CellResults run(const lab::Contest& contest, const ContestWords& words, Shard shard) {
  ProgressLine line(::isatty(STDERR_FILENO) == 1, io::monotonic_now());
  return lab::run_contest(contest, {.jobs = jobs_of(words),
                                    .shard = shard.index,
                                    .shards = shard.of,
                                    .progress = [&line](std::size_t done, std::size_t of) {
                                      line.show("runs", static_cast<double>(done),
                                                static_cast<double>(of), io::monotonic_now());
                                    }});
}

// The line that gives the same again: what changes no figure is not in it.
std::string again(const ContestWords& words, std::string_view command) {
  std::string out = fmt::format("evener lab {}", command);
  for (const std::string& file : words.files) out += " " + lab::shell_word(file);
  if (!words.policies.empty()) out += " --policy " + lab::shell_word(words.policies);
  if (command != "merge") out += fmt::format(" --seed {}", words.seed);
  if (words.scale != 1) out += fmt::format(" --scale {}", words.scale);
  return out;
}

struct Shown {
  std::string_view command;
  bool standings = false;
  bool tables = false;
  bool load = false;
};

bool write_html(const ContestWords& words, const lab::Contest& contest,
                const lab::Scoreboard& board, const Shown& shown) {
  std::vector<lab::LoadSeries> load;
  if (shown.load) load = lab::load_over_time(contest, board, jobs_of(words));
  return write_file(
      words.html,
      lab::contest_html(contest, board, load, again(words, shown.command) + " --html report.html"));
}

int show(const ContestWords& words, const lab::Contest& contest, const lab::CellResults& results,
         const Shown& shown) {
  const lab::Scoreboard board = lab::score(contest, results);
  fmt::print(stderr, "{}", lab::failure_lines(contest, board));
  bool good = true;
  if (words.json != "-" && words.csv != "-" && words.html != "-") {
    std::string text = lab::conventions_text(contest);
    for (std::size_t i = 0; shown.tables && i < board.situations.size(); ++i) {
      text += "\n" + lab::situation_text(contest, board, i);
    }
    if (shown.standings) text += "\n" + lab::score_text(contest, board);
    text += fmt::format("\nAgain: {}\n", again(words, shown.command));
    good = print(text);
  }
  if (!words.html.empty()) good = write_html(words, contest, board, shown) && good;
  if (!words.json.empty()) good = write_file(words.json, lab::score_json(contest, board)) && good;
  if (!words.csv.empty()) good = write_file(words.csv, lab::score_csv(contest, board)) && good;
  return good ? kExitGood : kExitFailed;
}

void add_html(CLI::App& command, ContestWords& words) {
  command.add_option("--html", words.html, "Write a report with charts to this file; -: print");
}

// False, and said, when a page is wanted from a build that has none.
bool html_possible(const ContestWords& words, std::string_view command) {
  if (words.html.empty() || lab::html_built()) return true;
  say(command, fmt::format("--html: {}", lab::html_missing()));
  return false;
}

void add_common(CLI::App& command, ContestWords& words) {
  command.add_option("--policy", words.policies,
                     "Policies and peers' rules, with commas; default: ours and the peers'");
  command.add_option("--seed", words.seed, "Seed of all luck: the same seed, the same bytes")
      ->capture_default_str();
  command.add_option("--jobs", words.jobs, "Threads; 0: one per core. Changes no figure")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  command.add_option("--scale", words.scale, "Multiplies the number of runs")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 1000.0));
  command.add_option("--json", words.json, "Write everything to this file; -: print");
  command.add_option("--csv", words.csv, "Write one line per policy and situation; -: print");
  add_html(command, words);
}

}  // namespace

void ContestWords::add_to(CLI::App& lab) {
  CLI::App* scenario =
      lab.add_subcommand("scenario", "Compare policies in scenarios: yours, or those of Evener.");
  scenario->add_option("files", files, "YAML files, or names of scenarios that come with Evener")
      ->required();
  add_common(*scenario, *this);
  scenario->footer(
      "Examples:\n  evener lab scenario slow-one\n"
      "  evener lab scenario mine.yaml --policy 'evener,p2c(choices=3),nginx_random_two'\n"
      "  evener lab scenario black-hole hang --seed 7 --json -\n"
      "  evener lab scenario slow-one --html slow-one.html");
  CLI::App* board = lab.add_subcommand(
      "scoreboard", "Every scenario, every policy: who is never far from the best?");
  board->add_option("files", files, "Scenarios; default: all that come with Evener");
  add_common(*board, *this);
  board->add_flag("--details", details, "Every situation's table, too");
  board->add_option("--shard", shard, "I/N: only the I-th of N parts; needs --out");
  board->add_option("--out", out, "Write the results of the runs to this file, for lab merge");
  board->footer(
      "Examples:\n  evener lab scoreboard\n  evener lab scoreboard --policy evener,p2c --details\n"
      "  evener lab scoreboard --html scoreboard.html\n"
      "  evener lab scoreboard --shard 1/8 --out part-1.json");
  CLI::App* merge = lab.add_subcommand("merge", "One scoreboard of the parts that --shard wrote.");
  merge->add_option("files", files, "The parts, in any order")->required();
  merge->add_flag("--details", details, "Every situation's table, too");
  merge->add_option("--json", json, "Write everything to this file; -: print");
  merge->add_option("--csv", csv, "Write one line per policy and situation; -: print");
  add_html(*merge, *this);
  merge->footer(
      "Examples:\n  evener lab merge part-*.json --details\n"
      "  evener lab merge part-*.json --html scoreboard.html");
}

int lab_scenario(const ContestWords& words) {
  if (!html_possible(words, "scenario")) return kExitUsage;
  const auto contest = contest_of(words, "scenario");
  if (!contest) return kExitUsage;
  return show(words, *contest, run(*contest, words, {}),
              {.command = "scenario", .tables = true, .load = true});
}

int lab_scoreboard(const ContestWords& words) {
  const auto shard = shard_of(words.shard);
  if (!shard) {
    say("scoreboard", fmt::format("--shard: expected I/N, as in 2/8, found `{}`", words.shard));
    return kExitUsage;
  }
  if (shard->of > 1 && words.out.empty()) {
    say("scoreboard", "--shard needs --out FILE: a part alone is no scoreboard");
    return kExitUsage;
  }
  if (!html_possible(words, "scoreboard")) return kExitUsage;
  const auto contest = contest_of(words, "scoreboard");
  if (!contest) return kExitUsage;
  const lab::CellResults results = run(*contest, words, *shard);
  if (!words.out.empty() && !write_file(words.out, lab::results_json(*contest, results))) {
    return kExitFailed;
  }
  if (shard->of > 1) return kExitGood;
  return show(words, *contest, results,
              {.command = "scoreboard", .standings = true, .tables = words.details});
}

int lab_merge(const ContestWords& words) {
  if (!html_possible(words, "merge")) return kExitUsage;
  std::vector<std::string> texts;
  for (const std::string& file : words.files) {
    auto text = read_file(file);
    if (!text) {
      say("merge", text.error());
      return kExitUsage;
    }
    texts.push_back(std::move(*text));
  }
  const auto merged = lab::merge_results(texts, words.files);
  if (!merged) {
    say("merge", merged.error().message);
    return kExitFailed;
  }
  return show(words, merged->contest, merged->results,
              {.command = "merge", .standings = true, .tables = words.details});
}

}  // namespace evener::cli
