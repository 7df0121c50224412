// Jobs of many tasks: E32.
#pragma once

#include "lab/experiment.h"

namespace evener::lab::sparrow {

Experiment sparrow();  // E32

}  // namespace evener::lab::sparrow
