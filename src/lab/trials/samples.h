// Choosers whose latency estimate remembers samples, however old: internal to trials.
#pragma once

#include <cstdint>

#include "sim/chooser.h"

namespace evener::lab {

struct SampleRule {
  std::uint64_t most = 100;  // samples remembered at least
  bool age = true;           // what is unanswered for longer than the estimate counts as that
  bool whole_ms = false;     // samples are cut to whole milliseconds, as Traefik does
};
sim::ChooserFactory sample_choosers(const SampleRule& rule);

}  // namespace evener::lab
