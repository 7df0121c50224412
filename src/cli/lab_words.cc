#include "cli/lab_words.h"

#include <CLI/CLI.hpp>

namespace evener::cli {
namespace {

void add_luck_and_effort(CLI::App& command, LabOptions& options) {
  command.add_option("--seed", options.seed, "Seed of all luck: the same seed, the same bytes")
      ->capture_default_str();
  command.add_option("--jobs", options.jobs, "Threads; 0: one per core. Changes no figure")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  command
      .add_option("--scale", options.scale,
                  "Multiplies the runs; below 1 tolerances grow by 1 / sqrt(scale)")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 1000.0));
}

}  // namespace

LabWords::LabWords(CLI::App& app)
    : lab_(app.add_subcommand("lab", "Experiments: the theory of load balancing, reproduced.")) {
  lab_->require_subcommand(1);
  lab_->footer(
      "Each experiment prints what was expected, what came out, and a verdict.\n\nExamples:\n"
      "  evener lab list\n  evener lab run max-load\n  evener lab check");
  add_list();
  add_run();
  add_check();
  contest_.add_to(*lab_);
  plan_.add_to(*lab_);
  proxy_.add_to(*lab_);
}

void LabWords::add_list() {
  CLI::App* list = lab_->add_subcommand("list", "Every experiment: name, what, time, source.");
  list->add_flag("--json", options_.json, "Print as JSON");
  list->footer("Examples:\n  evener lab list\n  evener lab list --json");
}

void LabWords::add_run() {
  CLI::App* run = lab_->add_subcommand("run", "Run experiments by name or id.");
  run->add_option("names", options_.names, "Names or ids, as `evener lab list` shows them")
      ->required();
  add_luck_and_effort(*run, options_);
  run->add_option("--json", options_.json_file, "Write rows and curves to this file; -: print");
  run->add_option("--csv", options_.csv_file, "Write the rows to this file");
  run->add_option("--html", options_.html_file,
                  "Write a report with charts to this file; -: print");
  run->footer(
      "Exit code 0: every row is as expected. 1: one is off.\n\nExamples:\n"
      "  evener lab run E08\n  evener lab run max-load heavy-gap --seed 7 --scale 4\n"
      "  evener lab run cuckoo --json cuckoo.json --csv cuckoo.csv\n"
      "  evener lab run max-load tail-shape --html report.html");
}

void LabWords::add_check() {
  CLI::App* check =
      lab_->add_subcommand("check", "Every quick experiment; exit code 1 if a row is off.");
  check->add_flag("--nightly", options_.nightly, "The slow ones, too");
  add_luck_and_effort(*check, options_);
  check->add_flag("--json", options_.json, "Print as JSON");
  check->add_option("--html", options_.html_file,
                    "Write a report with charts to this file; -: print");
  check->footer(
      "Under three minutes on two cores.\n\nExamples:\n  evener lab check\n"
      "  evener lab check --nightly --seed 2 --json\n"
      "  evener lab check --html check.html");
}

bool LabWords::chosen() const { return lab_->parsed(); }

int LabWords::call() const {
  if (lab_->got_subcommand("list")) return lab_list(options_);
  if (lab_->got_subcommand("run")) return lab_run(options_);
  if (lab_->got_subcommand("scenario")) return lab_scenario(contest_);
  if (lab_->got_subcommand("scoreboard")) return lab_scoreboard(contest_);
  if (lab_->got_subcommand("merge")) return lab_merge(contest_);
  if (lab_->got_subcommand("plan")) return lab_plan(plan_);
  if (lab_->got_subcommand("proxy")) return lab_proxy(proxy_);
  return lab_check(options_);
}

}  // namespace evener::cli
