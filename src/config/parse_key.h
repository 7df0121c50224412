// Reading of a pool's `key`. Internal to config/; see parse_pool.cc.
#pragma once

#include "config/reader.h"

namespace evener::config {

// `client_ip`, `path`, `host`, or a map of one: `{ header: NAME }`, `cookie`, `query`.
void read_key(Reader& reader, const Node& node, KeySource& key);

// Whether the pool's policy and its key go together. REQUIRES: both are read, and the endpoints.
void check_key(Reader& reader, const Pool& pool);

}  // namespace evener::config
