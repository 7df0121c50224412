// ProgressLine: how far a long command is and how long it will still take, on stderr.
//
// Says nothing in the first two seconds. On a terminal one line, redrawn in place and wiped at the
// end; elsewhere a plain line every ten seconds. Owned by one thread, which passes the time in.
#pragma once

#include <evener/time.h>

#include <string>
#include <string_view>

namespace evener::cli {

class ProgressLine {
 public:
  ProgressLine(bool terminal, Time start) : terminal_(terminal), start_(start), last_(start) {}
  ~ProgressLine() { wipe(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `done` of `total`, in any unit in which time passes evenly.
  void show(std::string_view what, double done, double total, Time now);
  // Takes the line away, before something else is printed.
  void wipe();

 private:
  bool terminal_;
  bool shown_ = false;
  Time start_;
  Time last_;
};

// "12 s", "3 min 5 s".
std::string rough_time(double seconds);

}  // namespace evener::cli
