#include "cli/entropy.h"

#include <sys/random.h>

#include "base/check.h"

namespace evener::cli {

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  const auto n = ::getrandom(&seed, sizeof seed, 0);
  EV_CHECK(n == sizeof seed, "the kernel always has eight random bytes");
  return seed;
}

}  // namespace evener::cli
