#include "lab/proxy/process.h"

#include <cmath>

namespace evener::lab::fleet {

Duration Process::exponential(Duration mean) {
  return Duration::from_seconds(-std::log1p(-luck_.uniform01()) * mean.to_seconds());
}

}  // namespace evener::lab::fleet
