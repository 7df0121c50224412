// Hash tables with choices: E33.
#pragma once

#include "lab/experiment.h"

namespace evener::lab::hashing {

Experiment cuckoo();  // E33

}  // namespace evener::lab::hashing
