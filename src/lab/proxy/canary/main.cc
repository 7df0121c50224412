// A canary: the whole-proxy simulation over a product with one planted bug, which it must find.
//
//     canary_NAME SEEDS
//
// Runs seeds from 1 on. Exit code 0: a rule was broken, or the product stopped itself, within so
// many seeds; 1: the bug was not seen.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/check.h"
#include "base/log.h"
#include "lab/proxy/fleet.h"

namespace {

using namespace evener::lab::fleet;

volatile std::sig_atomic_t seed_now = 0;

// A crash counts as found, too: nobody could overlook it. Nothing is unwound: the planted bugs
// leave things that can't be.
void crashed(int) {
  char text[] = "found: the process broke at seed 00000\n";
  long seed = seed_now;
  for (char* digit = text + sizeof text - 3; seed > 0; seed /= 10, --digit) {
    *digit = static_cast<char>('0' + seed % 10);
  }
  std::fputs(text, stderr);
  std::_Exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 0;
  std::signal(SIGABRT, crashed);
  std::signal(SIGSEGV, crashed);
  evener::set_least_log_level(evener::LogLevel::kError);
  for (int seed = 1; seed <= seeds; ++seed) {
    seed_now = seed;
    const FleetResult result = run_fleet(draw_plan(static_cast<std::uint64_t>(seed)));
    if (result.violations.empty()) continue;
    fmt::print("found at seed {}: {}\n", seed, result.violations.front());
    std::fflush(stdout);
    std::_Exit(0);
  }
  fmt::print("not found within {} seeds\n", seeds);
  std::fflush(stdout);
  std::_Exit(1);
}
