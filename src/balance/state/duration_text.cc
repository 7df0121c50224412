#include "balance/state/duration_text.h"

#include <algorithm>

namespace evener {

std::string duration_text(Duration span) {
  const std::int64_t ms = (std::max<std::int64_t>(span.ns(), 0) + 999'999) / 1'000'000;
  return ms >= 1000 ? std::to_string((ms + 999) / 1000) + " s" : std::to_string(ms) + " ms";
}

}  // namespace evener
