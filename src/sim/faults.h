// Faults: what goes wrong with servers, and when. A timeline of values, and the conditions that
// hold for each server at a time.
//
// A fault holds from `at` until `until`, or comes and goes within that: for lengths and after gaps
// drawn from laws (constant: flapping at a fixed beat; exponential: garbage collection, bursts of
// slowness), for all its servers at once or for each on its own. Faults may overlap: slowness
// multiplies, errors combine, the rest is true while any holds.
#pragma once

#include <evener/error.h>
#include <evener/time.h>

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/distribution.h"

namespace evener::sim {

enum class FaultKind : std::uint8_t {
  kSlow,       // speed times `value`
  kPause,      // speed 0: what it has waits, what comes queues
  kErrors,     // a share `value` of what it serves fails
  kFastFail,   // fails at once what comes, `latency` later
  kRefuse,     // says at once that it has too much to do
  kDead,       // what it has is reset, what comes is refused: connect failed
  kHang,       // takes what comes and never answers
  kPartition,  // messages to and from it are lost
};
std::string_view to_string(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::kSlow;
  std::vector<std::uint32_t> servers;
  double at_s = 0;
  double until_s = 1e9;
  double value = 1;  // kSlow: factor of the speed, (0, 1000]; kErrors: share, [0, 1]
  Duration latency = Duration::milliseconds(1);  // kFastFail, kRefuse: time until the answer
  Duration retry_after = {};                     // kRefuse: asked for with the answer
  // Balancers that a partition cuts off; empty: all.
  std::vector<std::uint32_t> balancers = {};

  // Comes and goes: first after a gap. Both or neither; means above 0.
  std::optional<Distribution> gap_s = {};
  std::optional<Distribution> length_s = {};
  bool together = true;  // all servers at once, else each by its own luck
};

std::expected<void, Error> check(const Fault& fault, std::uint32_t servers,
                                 std::uint32_t balancers);

// What holds for one server now.
struct Condition {
  double slow = 1;
  double errors = 0;
  bool paused = false;
  bool fast_fail = false;
  bool refuse = false;
  bool dead = false;
  bool hang = false;
  bool partition = false;
  Duration latency = {};      // of fast_fail and refuse
  Duration retry_after = {};  // of refuse

  bool usual() const {
    return errors == 0 && !fast_fail && !refuse && !dead && !hang && !partition;
  }
};

}  // namespace evener::sim
