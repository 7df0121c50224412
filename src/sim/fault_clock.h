// FaultClock: begins and ends faults in virtual time, and knows what holds for each server.
//
// Owned by the fleet. Cost: one event per beginning and end, O(faults of the server) each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/faults.h"
#include "sim/world.h"

namespace evener::sim {

class FaultClock final : public Actor {
 public:
  class Sink {
   public:
    virtual void condition_changed(std::uint32_t server, const Condition& before) = 0;

   protected:
    ~Sink() = default;
  };

  // REQUIRES: check(fault, servers, ...) succeeds for each.
  FaultClock(World& world, const std::vector<Fault>& faults, std::uint32_t servers, Sink& sink);

  // Whether there are any.
  bool any() const { return !instances_.empty(); }
  // REQUIRES: any().
  const Condition& condition(std::uint32_t server) const { return conditions_[server]; }
  // Whether messages between them are lost.
  bool cut(std::uint32_t server, std::uint32_t balancer) const;

  void fire(std::uint64_t payload) override;

 private:
  // A fault that has its own beat.
  struct Instance {
    Fault fault;
    Rng rng;
    bool on = false;
  };

  void add(const Fault& fault, Rng rng);
  void refresh(std::uint32_t server);

  World& world_;
  Sink& sink_;
  std::vector<Instance> instances_;
  std::vector<std::vector<std::uint32_t>> by_server_;  // instances
  std::vector<Condition> conditions_;
};

}  // namespace evener::sim
