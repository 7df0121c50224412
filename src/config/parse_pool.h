// Reading of one pool. Internal to config/; see parse.cc.
#pragma once

#include "config/reader.h"

namespace evener::config {

// `name` is the pool's key in the map, `node` what it holds.
Pool read_pool(Reader& reader, const Node& name, const Node& node);

}  // namespace evener::config
