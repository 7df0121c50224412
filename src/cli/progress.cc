#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace evener::cli {

std::string rough_time(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::clamp(seconds, 0.0, 1e9)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

void ProgressLine::show(std::string_view what, double done, double total, Time now) {
  const double elapsed = (now - start_).to_seconds();
  const Duration pause = terminal_ ? Duration::milliseconds(200) : Duration::seconds(10);
  if (elapsed < 2 || now - last_ < pause || total <= 0) return;
  last_ = now;
  const double share = std::clamp(done / total, 0.0, 1.0);
  // Before the first part is done, nothing can be told of the rest.
  const std::string left =
      share > 0 ? fmt::format("about {} left", rough_time(elapsed * (1 - share) / share))
                : fmt::format("{} so far", rough_time(elapsed));
  const std::string line = fmt::format("{}: {:.0f} %, {}", what, 100 * share, left);
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", line);
    shown_ = true;
  } else {
    fmt::print(stderr, "{}\n", line);
  }
  std::fflush(stderr);
}

void ProgressLine::wipe() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace evener::cli
