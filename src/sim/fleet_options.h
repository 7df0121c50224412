// FleetOptions: what is simulated: servers, balancers, arrivals, network, faults, membership, end.
//
// A value; check() says what is wrong with one. Times are in seconds where a law gives them.
#pragma once

#include <evener/error.h>
#include <evener/hedge.h>
#include <evener/retry_budget.h>
#include <evener/time.h>

#include <cstdint>
#include <expected>
#include <vector>

#include "sim/arrivals.h"
#include "sim/chooser.h"
#include "sim/distribution.h"
#include "sim/faults.h"
#include "sim/server_bank.h"

namespace evener::sim {

struct ServerGroup {
  std::uint32_t count = 1;
  ServerSpec spec = {};
  double weight = 1;  // that balancers are told
  // A server that joins or comes back from the dead begins at `cold_floor` of its speed and reaches
  // all of it after this long. Zero: at once.
  Duration cold = {};
  double cold_floor = 0.1;
  bool cold_at_start = false;
};

// Servers join or leave the set that balancers know, from `at_s` on, one every `apart_s` (0: all at
// once). A server that joins somewhere is absent before. Those that leave finish what they have.
struct Rollout {
  double at_s = 0;
  bool join = false;
  std::vector<std::uint32_t> servers;
  double apart_s = 0;
  double notice_s = 0;  // each balancer learns of it up to so much later
};

struct RetrySettings {
  static constexpr std::uint32_t kAttemptsMax = 8;

  std::uint32_t attempts = 1;  // at most, the first included; up to 8
  RetryBudgetSettings budget = {};
  bool unlimited = false;  // no budget: to see why there is one
  Duration backoff = {};   // between attempts
};

// A second attempt beside one that takes long, once per call, by the retries' budget.
struct HedgeOptions {
  bool on = false;
  Duration after = {};  // zero: after the percentile that the balancer has seen
  HedgeSettings settings = {};
};

struct FleetOptions {
  enum class Assign : std::uint8_t {
    kRandom,  // each call goes to a balancer at random
    kEven,    // in turn
  };

  std::uint64_t seed = 1;
  std::vector<ServerGroup> servers;
  std::uint32_t balancers = 1;
  Assign assign = Assign::kRandom;
  ChooserFactory chooser;
  // The balancers share a LoadBoard; their ticks read it.
  bool board = false;
  Duration tick_every = {};  // zero: never
  Arrivals arrivals;
  Distribution work = Distribution::exponential();  // seconds at speed 1
  Distribution delay_out;                           // balancer to server
  Distribution delay_back;
  Duration timeout = {};  // of an attempt; zero: none
  // Whether servers go on with work whose client has given up; else what still waits is skipped.
  bool serve_abandoned = true;
  RetrySettings retry = {};
  HedgeOptions hedge = {};
  // Answers say how many requests the server holds, and its utilisation: those over its slots.
  bool reports = false;
  std::uint32_t keys = 0;  // calls have one of so many keys at random; 0: each its own
  std::vector<Fault> faults;
  std::vector<Rollout> rollouts;

  // The end: no calls come after so many, or after this time; what is out is then awaited for
  // `drain_s`. Those that came during the warm-up are not measured.
  std::uint64_t calls = 0;  // 0: no limit
  double until_s = 0;       // 0: no limit
  std::uint64_t warm_up_calls = 0;
  double warm_up_s = 0;
  double drain_s = 1e6;
  // With more attempts than this out, the run stops and says so.
  std::uint32_t out_max = 8'000'000;
  double series_every_s = 0;  // samples of each server's requests; 0: none
};

// Whether the fleet can run it: ranges, and that it ends.
std::expected<void, Error> check(const FleetOptions& options);
std::uint32_t server_count(const FleetOptions& options);

}  // namespace evener::sim
