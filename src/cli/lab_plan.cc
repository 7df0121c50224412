#include "cli/lab_plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cli/config_file.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "config/values.h"
#include "io/socket.h"
#include "lab/html/page.h"
#include "lab/parallel.h"
#include "lab/plan/plan.h"
#include "lab/shell_word.h"

namespace evener::cli {
namespace {

int wrong(std::string_view what) {
  fmt::print(stderr, "evener lab plan: {}\n", what);
  return kExitUsage;
}

// The line that gives the same answer again, with all that it depends on.
std::string again(const PlanWords& words) {
  return fmt::format(
      "evener lab plan --rate {} --work {} --p99 {} --delay {} --slots {} --balancers {} "
      "--policy {} --runs {} --calls {} --seed {}",
      words.rate, lab::shell_word(words.work), lab::shell_word(words.p99),
      lab::shell_word(words.delay), words.slots, words.balancers, lab::shell_word(words.policies),
      words.runs, words.calls, words.seed);
}

bool show(const PlanWords& words, const lab::PlanQuestion& question,
          const std::vector<lab::PlanAnswer>& answers) {
  bool good = true;
  if (words.json != "-" && words.html != "-") {
    good = print(lab::plan_text(question, answers) + "\nAgain: " + again(words) + "\n");
  }
  if (!words.json.empty()) good = write_file(words.json, lab::plan_json(question, answers)) && good;
  if (!words.html.empty()) {
    const std::string page =
        lab::plan_html(question, answers, again(words) + " --html report.html");
    good = write_file(words.html, page) && good;
  }
  return good;
}

}  // namespace

void PlanWords::add_to(CLI::App& lab) {
  CLI::App* plan =
      lab.add_subcommand("plan", "How many endpoints does each policy need for this rate and p99?");
  plan->add_option("--rate", rate, "Calls per second")->required();
  plan->add_option("--p99", p99, "What the p99 is to be below, as in 80ms")->required();
  plan->add_option("--work", work, "A call's work in seconds, a law as scenarios have it")
      ->capture_default_str();
  plan->add_option("--delay", delay, "The network's delay each way, in seconds")
      ->capture_default_str();
  plan->add_option("--slots", slots, "Calls that an endpoint works on at once")
      ->capture_default_str();
  plan->add_option("--balancers", balancers, "Balancers that do not see each other")
      ->capture_default_str();
  plan->add_option("--policy", policies, "Policies and peers' rules, with commas")
      ->capture_default_str();
  plan->add_option("--runs", runs, "Independent runs for each number of endpoints")
      ->capture_default_str();
  plan->add_option("--calls", calls, "Calls of a run")->capture_default_str();
  plan->add_option("--seed", seed, "Seed of all luck")->capture_default_str();
  plan->add_option("--jobs", jobs, "Threads; 0: one per core. Changes no figure")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  plan->add_option("--json", json, "Write everything to this file; -: print");
  plan->add_option("--html", html, "Write a report with a chart to this file; -: print");
  plan->footer(
      "Exit code 0: answered. 1: no number of endpoints can do it.\n\nExamples:\n"
      "  evener lab plan --rate 2000 --work 'lognormal(sigma=1,mean=0.02)' --p99 150ms\n"
      "  evener lab plan --rate 500 --p99 80ms --slots 4 --balancers 3 "
      "--policy evener,nginx_round_robin\n"
      "  evener lab plan --rate 2000 --p99 60ms --html plan.html");
}

int lab_plan(const PlanWords& words) {
  if (!words.html.empty() && !lab::html_built()) {
    return wrong(fmt::format("--html: {}", lab::html_missing()));
  }
  lab::PlanQuestion question;
  question.rate = words.rate;
  question.slots = words.slots;
  question.balancers = words.balancers;
  question.runs = words.runs;
  question.calls = words.calls;
  question.seed = words.seed;
  const auto goal = config::parse_duration(words.p99);
  if (!goal) return wrong(fmt::format("--p99: {}", goal.error()));
  question.p99_s = goal->to_seconds();
  for (const auto& [text, into] :
       {std::pair(&words.work, &question.work), std::pair(&words.delay, &question.delay)}) {
    auto law = sim::Distribution::parse(*text);
    if (!law) return wrong(law.error().message);
    *into = std::move(*law);
  }
  const auto contenders = lab::parse_contenders(words.policies);
  if (!contenders) return wrong(contenders.error().message);
  if (const auto ok = lab::check(question); !ok) {
    const int code = wrong(ok.error().message);
    return ok.error().message.starts_with("no number") ? kExitFailed : code;
  }
  ProgressLine line(::isatty(STDERR_FILENO) == 1, io::monotonic_now());
  std::vector<lab::PlanAnswer> answers;
  const auto count = static_cast<double>(contenders->size());
  for (const lab::Contender& contender : *contenders) {
    // How many points a search takes is not known: about this many.
    constexpr double kUsual = 9;
    double points = 0;
    const auto show = [&] {
      points += 1;
      line.show(contender.text,
                static_cast<double>(answers.size()) + std::min(0.95, points / kUsual), count,
                io::monotonic_now());
    };
    answers.push_back(
        lab::plan(question, contender, words.jobs > 0 ? words.jobs : lab::available_cores(), show));
  }
  line.wipe();
  return show(words, question, answers) ? kExitGood : kExitFailed;
}

}  // namespace evener::cli
