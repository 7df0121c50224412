// Probing: E35.
#pragma once

#include "lab/experiment.h"

namespace evener::lab::probing {

Experiment prequal();  // E35

}  // namespace evener::lab::probing
