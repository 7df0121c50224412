// DemoView: what the demo shows: a live table on a terminal, a line now and then elsewhere, and the
// summary at the end as text or JSON. Colours and redrawing only on a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "admin/snapshot.h"
#include "cli/demo_load.h"

namespace evener::cli {

struct DemoRow {
  std::string name;
  std::string what;
  double share = 0;  // of the picks since the last frame, or of all in the summary
  std::uint64_t picks = 0;
  std::uint64_t failures = 0;
  std::uint64_t in_flight = 0;
  Duration latency;
  double success = 1;
  std::uint32_t failures_in_row = 0;
  std::string state;
};

struct DemoFrame {
  double elapsed_seconds = 0;
  double requests_per_second = 0;
  std::string policy;
  std::string engine;
  std::uint32_t workers = 0;
  LoadStats load;
  std::vector<DemoRow> rows;
};

class DemoView {
 public:
  explicit DemoView(bool terminal) : terminal_(terminal) {}
  // Redraws in place on a terminal; else prints one line.
  void draw(const DemoFrame& frame);

 private:
  bool terminal_;
  int lines_drawn_ = 0;
};

std::string summary_text(const DemoFrame& total);
std::string summary_json(const DemoFrame& total);

}  // namespace evener::cli
