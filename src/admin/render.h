// Render: a Snapshot as text for machines: Prometheus exposition format 0.0.4, and JSON.
//
// Pure functions. The number of series is fixed by the configuration. Durations are in seconds.
#pragma once

#include <string>

#include "admin/snapshot.h"

namespace evener::admin {

std::string prometheus_text(const Snapshot& snapshot);
std::string endpoints_json(const Snapshot& snapshot);

}  // namespace evener::admin
