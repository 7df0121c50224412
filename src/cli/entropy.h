// Entropy: the one place where a run's seed comes from when the user gives none.
#pragma once

#include <cstdint>

namespace evener::cli {

std::uint64_t random_seed();

}  // namespace evener::cli
