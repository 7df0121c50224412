#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>

#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/lab_words.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "io/socket.h"
#include "lab/html/page.h"
#include "lab/parallel.h"
#include "lab/registry.h"
#include "lab/render.h"
#include "lab/shell_word.h"

namespace evener::cli {
namespace {

// Runs one after the other; `each` is called as soon as one is finished.
class Session {
 public:
  Session(const LabOptions& options, std::vector<const lab::Experiment*> experiments)
      : options_(options),
        experiments_(std::move(experiments)),
        progress_(::isatty(STDERR_FILENO) == 1, io::monotonic_now()) {
    for (const auto* experiment : experiments_) total_seconds_ += experiment->seconds;
  }

  // False as soon as `each` is.
  template <typename Each>
  bool run(Each&& each) {
    double before = 0;
    for (const auto* experiment : experiments_) {
      finished_.push_back({experiment, run_one(*experiment, before)});
      before += experiment->seconds;
      progress_.wipe();
      fmt::print(stderr, "{}", lab::off_lines(*experiment, finished_.back().report, look()));
      if (!each(finished_.back())) return false;
    }
    return true;
  }

  lab::Look look() const { return {options_.seed, options_.scale, colours()}; }
  std::span<const lab::Finished> finished() const { return finished_; }
  std::size_t rows() const {
    std::size_t rows = 0;
    for (const auto& one : finished_) rows += one.report.rows().size();
    return rows;
  }
  std::size_t off() const {
    std::size_t off = 0;
    for (const auto& one : finished_) off += one.report.off();
    return off;
  }

 private:
  lab::Report run_one(const lab::Experiment& experiment, double before) {
    const auto show = [&](const lab::Progress& progress) {
      const double here = progress.total > 0 ? progress.done / progress.total : 0;
      progress_.show(fmt::format("{} {}", experiment.id, experiment.name),
                     before + here * experiment.seconds, total_seconds_, io::monotonic_now());
    };
    return lab::run(experiment, {.seed = options_.seed,
                                 .jobs = options_.jobs > 0 ? options_.jobs : lab::available_cores(),
                                 .scale = options_.scale,
                                 .note = "Again: " + lab::replay_line(experiment, look()),
                                 .progress = show});
  }

  const LabOptions& options_;
  std::vector<const lab::Experiment*> experiments_;
  double total_seconds_ = 0;
  std::vector<lab::Finished> finished_;
  ProgressLine progress_;
};

// The line that gives the same again: what changes no figure is not in it.
std::string again(const LabOptions& options, std::string_view command) {
  std::string out = fmt::format("evener lab {}", command);
  for (const std::string& name : options.names) out += " " + lab::shell_word(name);
  if (options.nightly) out += " --nightly";
  out += fmt::format(" --seed {}", options.seed);
  if (options.scale != 1) out += fmt::format(" --scale {}", options.scale);
  return out;
}

// False, and said, when a page is wanted from a build that has none.
bool html_possible(const LabOptions& options, std::string_view command) {
  if (options.html_file.empty() || lab::html_built()) return true;
  fmt::print(stderr, "evener lab {}: --html: {}\n", command, lab::html_missing());
  return false;
}

bool write_html(const LabOptions& options, const Session& session, std::string_view command) {
  if (options.html_file.empty()) return true;
  return write_file(options.html_file,
                    lab::experiments_html(session.finished(), session.look(),
                                          again(options, command) + " --html report.html"));
}

}  // namespace

int lab_list(const LabOptions& options) {
  const auto all = lab::experiments();
  return print(options.json ? lab::list_json(all) : lab::list_text(all)) ? kExitGood : kExitFailed;
}

int lab_run(const LabOptions& options) {
  std::vector<const lab::Experiment*> chosen;
  for (const std::string& name : options.names) {
    const auto found = lab::find_experiment(name);
    if (!found) {
      fmt::print(stderr, "evener lab run: {}\n", found.error());
      return kExitUsage;
    }
    chosen.push_back(*found);
  }
  if (!html_possible(options, "run")) return kExitUsage;
  Session session(options, std::move(chosen));
  const bool table = options.json_file != "-" && options.html_file != "-";
  bool written = session.run([&](const lab::Finished& one) {
    const bool first = session.finished().size() == 1;
    return !table ||
           print((first ? "" : "\n") + lab::to_text(*one.experiment, one.report, session.look()));
  });
  if (!options.json_file.empty()) {
    const std::string json = lab::to_json(session.finished(), session.look());
    written = write_file(options.json_file, json) && written;
  }
  if (!options.csv_file.empty()) {
    written = write_file(options.csv_file, lab::to_csv(session.finished())) && written;
  }
  written = write_html(options, session, "run") && written;
  return written && session.off() == 0 ? kExitGood : kExitFailed;
}

int lab_check(const LabOptions& options) {
  if (!html_possible(options, "check")) return kExitUsage;
  std::vector<const lab::Experiment*> chosen;
  for (const auto& experiment : lab::experiments()) {
    if (options.nightly || !experiment.nightly) chosen.push_back(&experiment);
  }
  const std::size_t count = chosen.size();
  Session session(options, std::move(chosen));
  const bool table = !options.json && options.html_file != "-";
  bool written = session.run([&](const lab::Finished& one) {
    return !table || print(lab::to_lines(*one.experiment, one.report, session.look()));
  });
  if (options.json) written = print(lab::to_json(session.finished(), session.look())) && written;
  if (table) {
    written = print(fmt::format("lab check: {} experiments, {} rows, {} off. Again: {}\n", count,
                                session.rows(), session.off(), again(options, "check"))) &&
              written;
  }
  written = write_html(options, session, "check") && written;
  return written && session.off() == 0 ? kExitGood : kExitFailed;
}

}  // namespace evener::cli
