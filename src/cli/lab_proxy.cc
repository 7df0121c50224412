#include "cli/lab_proxy.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/check_note.h"
#include "base/log.h"
#include "cli/config_file.h"
#include "cli/entropy.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "io/socket.h"
#include "lab/parallel.h"
#include "lab/proxy/fleet.h"

namespace evener::cli {
namespace {

using lab::fleet::FleetResult;

// As many as a million seeds never run in any time that --minutes allows.
constexpr std::uint64_t kSeedsMax = 1'000'000;

struct Outcome {
  std::string summary;
  FleetResult result;
};

std::string replay(std::uint64_t seed) {
  return fmt::format("evener lab proxy --seed {} --trace timeline.txt", seed);
}

Outcome run_seed(std::uint64_t seed) {
  const std::string again = replay(seed);
  const CheckNote note(again);
  const lab::fleet::FleetPlan plan = lab::fleet::draw_plan(seed);
  return {plan.summary(), lab::fleet::run_fleet(plan)};
}

// The results by seed; what was not begun when the time was over is left out.
std::vector<std::optional<Outcome>> run_all(const ProxyWords& words, std::uint64_t first) {
  const bool timed = words.minutes > 0;
  const std::uint64_t count = timed ? kSeedsMax : words.seeds;
  const Time start = io::monotonic_now();
  const Duration limit = Duration::from_seconds(words.minutes * 60);
  std::vector<std::optional<Outcome>> outcomes(count);
  ProgressLine line(::isatty(STDERR_FILENO) == 1, start);
  const auto over = [&] { return timed && io::monotonic_now() - start >= limit; };
  lab::for_each_index(
      count, words.jobs > 0 ? words.jobs : lab::available_cores(),
      [&](std::size_t i) {
        if (!over()) outcomes[i] = run_seed(first + i);
      },
      [&](std::size_t done) {
        const Time now = io::monotonic_now();
        if (over()) return;
        if (timed) {
          line.show(fmt::format("{} seeds", done), (now - start).to_seconds(), limit.to_seconds(),
                    now);
        } else {
          line.show("seeds", static_cast<double>(done), static_cast<double>(count), now);
        }
      });
  line.wipe();
  std::erase_if(outcomes, [](const auto& outcome) { return !outcome; });
  return outcomes;
}

std::string text_of(const Outcome& outcome) {
  const FleetResult& r = outcome.result;
  std::string text = fmt::format("seed {}: {}: {}\n", r.seed,
                                 r.violations.empty() ? "ok" : "FAILED", outcome.summary);
  for (const std::string& violation : r.violations) text += "  " + violation + "\n";
  if (!r.violations.empty()) text += "  again: " + replay(r.seed) + "\n";
  return text;
}

nlohmann::json json_of(const Outcome& outcome) {
  const FleetResult& r = outcome.result;
  return {{"seed", r.seed},
          {"plan", outcome.summary},
          {"violations", r.violations},
          {"requests", r.counts.requests},
          {"arrivals", r.counts.arrivals},
          {"answered", r.counts.answered},
          {"answered_by_proxy", r.counts.local},
          {"ended_visibly", r.counts.broken},
          {"client_left", r.counts.left},
          {"bytes_compared", r.counts.bytes},
          {"simulated_seconds", r.seconds},
          {"connections", r.connections},
          {"events", r.events},
          {"digest", fmt::format("{:016x}", r.digest)},
          {"final_draw", fmt::format("{:016x}", r.final_draw)}};
}

std::string summary(const std::vector<std::optional<Outcome>>& outcomes, std::uint64_t first,
                    std::size_t failed, double seconds) {
  std::uint64_t requests = 0;
  double simulated = 0;
  for (const auto& outcome : outcomes) {
    requests += outcome->result.counts.requests;
    simulated += outcome->result.seconds;
  }
  return fmt::format("{} seeds from {}: {} failed; {} requests, {:.0f} simulated s in {:.0f} s\n",
                     outcomes.size(), first, failed, requests, simulated, seconds);
}

// One seed with its timeline in a file.
int run_traced(const ProxyWords& words, std::uint64_t seed) {
  std::string timeline;
  const lab::fleet::FleetPlan plan = lab::fleet::draw_plan(seed);
  const std::string again = replay(seed);
  const CheckNote note(again);
  timeline += fmt::format("seed {}: {}\n", seed, plan.summary());
  const Outcome outcome{plan.summary(), lab::fleet::run_fleet(plan, [&](std::string_view entry) {
                          timeline += entry;
                          timeline += '\n';
                        })};
  const bool written = write_file(words.trace, timeline);
  if (words.trace != "-" && !print(text_of(outcome))) return kExitFailed;
  return written && outcome.result.violations.empty() ? kExitGood : kExitFailed;
}

}  // namespace

void ProxyWords::add_to(CLI::App& lab) {
  CLI::App* proxy = lab.add_subcommand(
      "proxy", "The whole proxy on a simulated network: each seed is a fleet with its own faults.");
  proxy->add_option("--seed", seed, "The first seed; without it one is drawn and said");
  CLI::Option* count =
      proxy->add_option("--seeds", seeds, "How many seeds, counted up from the first")
          ->capture_default_str()
          ->check(CLI::Range(std::uint64_t{1}, kSeedsMax));
  proxy->add_option("--minutes", minutes, "As many seeds as fit into so many minutes")
      ->check(CLI::Range(0.01, 10'000.0))
      ->excludes(count);
  proxy->add_option("--jobs", jobs, "Threads; 0: one per core. Changes no result")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  proxy->add_option("--trace", trace, "Write the timeline of one seed to this file; -: print")
      ->excludes("--minutes");
  proxy->add_option("--json", json, "Write every seed's result to this file; -: print");
  proxy->footer(
      "Each run has clients, proxies and endpoints, a network, and faults drawn from the seed; "
      "then "
      "all heals\nand every request must succeed. docs/simulation.md tells what is checked.\n\n"
      "Exit code 0: no rule was broken. 1: one was; a line says how to see it again.\n\nExamples:\n"
      "  evener lab proxy --seeds 200\n  evener lab proxy --minutes 5\n"
      "  evener lab proxy --seed 42 --trace timeline.txt");
}

int lab_proxy(const ProxyWords& words) {
  // Simulated processes run out of descriptors by the hundred; nobody needs to hear of it.
  set_least_log_level(LogLevel::kError);
  const std::uint64_t first = words.seed ? *words.seed : random_seed() % 1'000'000'000;
  if (!words.trace.empty()) {
    if (words.seeds != 1) {
      fmt::print(stderr, "evener lab proxy: --trace is for one seed: leave out --seeds\n");
      return kExitUsage;
    }
    return run_traced(words, first);
  }
  const Time start = io::monotonic_now();
  if (::isatty(STDERR_FILENO) == 0) fmt::print(stderr, "evener lab proxy: first seed {}\n", first);
  const auto outcomes = run_all(words, first);
  std::size_t failed = 0;
  std::string text;
  nlohmann::json all = nlohmann::json::array();
  for (const auto& outcome : outcomes) {
    const bool bad = !outcome->result.violations.empty();
    failed += bad ? 1 : 0;
    if (bad || outcomes.size() == 1) text += text_of(*outcome);
    if (!words.json.empty()) all.push_back(json_of(*outcome));
  }
  text += summary(outcomes, first, failed, (io::monotonic_now() - start).to_seconds());
  bool good = words.json == "-" || print(text);
  if (!words.json.empty()) good = write_file(words.json, all.dump(2) + "\n") && good;
  return good && failed == 0 ? kExitGood : kExitFailed;
}

}  // namespace evener::cli
