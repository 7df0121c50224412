// The command line: words to calls. Every command has --help with examples; exit codes are 0 good,
// 1 the thing failed, 2 bad usage.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>

#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/lab_words.h"

namespace {

using evener::cli::kExitGood;
using evener::cli::kExitUsage;

constexpr const char* kVersion = "0.1.0";

void add_run(CLI::App& app, evener::cli::RunOptions& options) {
  CLI::App* run =
      app.add_subcommand("run", "Serve what a configuration file says, until a signal.");
  run->add_option("-c,--config", options.config, "The configuration file (YAML)")->required();
  run->add_option("--engine", options.engine, "auto, epoll or uring; overrides the file")
      ->check(CLI::IsMember({"auto", "epoll", "uring"}));
  run->add_option("--workers", options.workers, "Worker threads; overrides the file")
      ->check(CLI::Range(1, 256));
  run->add_option("--seed", options.seed, "Seed of all random choices, to repeat a run");
  run->footer(
      "SIGTERM or SIGINT drains: open exchanges end, then the process does. A second one ends "
      "it at once.\n\nExamples:\n  evener run -c evener.yaml\n"
      "  evener run -c evener.yaml --workers 1 --engine epoll");
}

void add_check(CLI::App& app, evener::cli::CheckOptions& options) {
  CLI::App* check =
      app.add_subcommand("check", "Validate a configuration file and show what would run.");
  check->add_option("-c,--config,config", options.config, "The configuration file (YAML)")
      ->required();
  check->add_flag("--json", options.json, "Print as JSON");
  check->footer(
      "Exit code 0: good. 1: errors, each with its place.\n\nExamples:\n"
      "  evener check -c evener.yaml\n  evener check evener.yaml --json");
}

void add_demo(CLI::App& app, evener::cli::DemoOptions& options) {
  std::vector<std::string> policies;
  for (const auto name : evener::cli::policy_names()) policies.emplace_back(name);
  CLI::App* demo = app.add_subcommand(
      "demo", "Endpoints, proxy and load in one process: see requests balanced, no set-up.");
  demo->add_option("--for", options.seconds,
                   "Seconds to run; default: until Ctrl-C on a terminal, else 15")
      ->check(CLI::Range(0.5, 86400.0));
  demo->add_option("--load", options.load, "Requests per second, open loop")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 100000.0));
  demo->add_option("--port", options.port, "The proxy's port on 127.0.0.1; 0: a free one")
      ->capture_default_str();
  demo->add_option("--policy", options.policy, "The balancing policy")
      ->capture_default_str()
      ->check(CLI::IsMember(policies));
  demo->add_option("--engine", options.engine, "auto, epoll or uring")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "epoll", "uring"}));
  demo->add_option("--workers", options.workers, "Worker threads; 0: one per core")
      ->capture_default_str()
      ->check(CLI::Range(0, 256));
  demo->add_option("--seed", options.seed, "Seed of all random choices, to repeat a run");
  demo->add_flag("--json", options.json, "Print only the summary, as JSON");
  demo->footer(
      "Four endpoints are fast, one is ten times slower, one answers 500 at once for a "
      "while.\n\nExamples:\n  evener demo\n  evener demo --for 20 --policy round_robin\n"
      "  evener demo --for 10 --load 1000 --json");
}

}  // namespace

int main(int argc, char** argv) {
  // A peer that goes away shows as an error of the write, never as a signal.
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app("Evener: the load balancer built on the power of two choices.", "evener");
  app.require_subcommand(1);
  app.footer("Start here: evener demo");
  evener::cli::RunOptions run_options;
  evener::cli::CheckOptions check_options;
  evener::cli::DemoOptions demo_options;
  add_run(app, run_options);
  add_check(app, check_options);
  add_demo(app, demo_options);
  const evener::cli::LabWords lab(app);
  CLI::App* version = app.add_subcommand("version", "Print the version.");
  bool version_json = false;
  version->add_flag("--json", version_json, "Print as JSON");
  version->footer("Examples:\n  evener version\n  evener version --json");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? kExitGood : kExitUsage;
  }
  if (app.got_subcommand("run")) return evener::cli::run(run_options);
  if (app.got_subcommand("check")) return evener::cli::check(check_options);
  if (app.got_subcommand("demo")) return evener::cli::demo(demo_options);
  if (lab.chosen()) return lab.call();
  if (version_json) {
    fmt::print("{{\"name\": \"evener\", \"version\": \"{}\"}}\n", kVersion);
  } else {
    fmt::print("evener {}\n", kVersion);
  }
  return kExitGood;
}
