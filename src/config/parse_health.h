// Reading of what takes a pool's endpoints out of the choice: `ejection` and `warmup`. Internal to
// config/; see parse_pool.cc.
#pragma once

#include "config/reader.h"

namespace evener::config {

// A map of EjectionSettings, or `off`.
void read_ejection(Reader& reader, const Node& node, EjectionSettings& out);

// A duration, or `off`.
void read_warm_up(Reader& reader, const Node& node, WarmUpSettings& out);

}  // namespace evener::config
