// Process: one simulated process of a run: a loop on a host, and what every process shares.
//
// Owner: the run. One thread.
#pragma once

#include <evener/rng.h>

#include <memory>

#include "io/loop.h"
#include "io/task.h"
#include "lab/proxy/ledger.h"
#include "lab/proxy/plan.h"
#include "sim/net/engine.h"

namespace evener::lab::fleet {

struct RunState {
  const FleetPlan& plan;
  sim::World& world;
  sim::Network& network;
  Ledger& ledger;
  bool healed = false;  // nobody does anything but what is right any more
};

class Process {
 public:
  Process(RunState& run, sim::HostId host, const sim::ProcessOptions& options, Rng luck)
      : run_(run),
        loop_(sim::NetEngine::make_loop(run.network, host, options, engine_)),
        luck_(luck) {}

  io::Loop& loop() { return *loop_; }
  sim::NetEngine& engine() { return *engine_; }
  Rng& luck() { return luck_; }
  RunState& run() { return run_; }
  // In a turn of its loop, as everything that arms timers must be.
  void post(io::Loop::Post work) { loop_->post(std::move(work)); }

  bool chance(double p) { return luck_.uniform01() < p; }
  std::uint64_t below(std::uint64_t n) { return luck_.below(n); }
  Duration up_to(Duration most) {
    return Duration::nanoseconds(
        static_cast<std::int64_t>(luck_.below(static_cast<std::uint64_t>(most.ns()) + 1)));
  }
  Duration exponential(Duration mean);

 private:
  RunState& run_;
  sim::NetEngine* engine_ = nullptr;
  std::unique_ptr<io::Loop> loop_;
  Rng luck_;
};

}  // namespace evener::lab::fleet
