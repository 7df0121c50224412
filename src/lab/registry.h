// The table of experiments: explicit, in the order of their ids.
//
// Immutable; any thread. Nothing registers itself: a new experiment is a line in registry.cc.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "lab/experiment.h"

namespace evener::lab {

std::span<const Experiment> experiments();

// By id or name, in any case. An unknown word is an error that suggests the nearest.
std::expected<const Experiment*, std::string> find_experiment(std::string_view word);

}  // namespace evener::lab
