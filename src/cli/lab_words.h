// `evener lab ...`: its words for the command line, and what they call.
//
// Owns the options that CLI11 writes into; lives as long as the App. Thread: main's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/lab_contest.h"
#include "cli/lab_plan.h"
#include "cli/lab_proxy.h"

namespace CLI {
class App;
}

namespace evener::cli {

struct LabOptions {
  std::vector<std::string> names;
  std::uint64_t seed = 1;
  unsigned jobs = 0;  // 0: all cores
  double scale = 1;
  bool nightly = false;
  bool json = false;
  std::string json_file;  // "-": instead of the table
  std::string csv_file;
  std::string html_file;  // "-": instead of the table
};

int lab_list(const LabOptions& options);
int lab_run(const LabOptions& options);
int lab_check(const LabOptions& options);

class LabWords {
 public:
  explicit LabWords(CLI::App& app);
  // Whether the command line named `lab`. REQUIRES: parsed.
  bool chosen() const;
  int call() const;

 private:
  void add_list();
  void add_run();
  void add_check();

  CLI::App* lab_;
  LabOptions options_;
  ContestWords contest_;
  PlanWords plan_;
  ProxyWords proxy_;
};

}  // namespace evener::cli
