#include "sim/fault_clock.h"

#include <algorithm>

namespace evener::sim {
namespace {

Time at_seconds(double s) { return Time() + Duration::from_seconds(s); }

}  // namespace

FaultClock::FaultClock(World& world, const std::vector<Fault>& faults, std::uint32_t servers,
                       Sink& sink)
    : world_(world), sink_(sink) {
  if (faults.empty()) return;
  by_server_.resize(servers);
  conditions_.resize(servers);
  Rng rng = world.stream("faults");
  for (const Fault& fault : faults) {
    if (fault.together) {
      add(fault, rng.fork(instances_.size()));
      continue;
    }
    for (const std::uint32_t server : fault.servers) {
      Fault one = fault;
      one.servers = {server};
      add(one, rng.fork(instances_.size()));
    }
  }
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    Instance& instance = instances_[i];
    double first = instance.fault.at_s;
    if (instance.fault.gap_s) first += instance.fault.gap_s->sample(instance.rng);
    if (first < instance.fault.until_s) world_.at(at_seconds(first), *this, i);
  }
}

void FaultClock::add(const Fault& fault, Rng rng) {
  for (const std::uint32_t server : fault.servers) {
    by_server_[server].push_back(static_cast<std::uint32_t>(instances_.size()));
  }
  instances_.push_back({fault, rng});
}

void FaultClock::fire(std::uint64_t payload) {
  Instance& instance = instances_[payload];
  instance.on = !instance.on;
  const double until = instance.fault.until_s;
  double next = until;
  if (instance.fault.gap_s) {
    const Distribution& law = instance.on ? *instance.fault.length_s : *instance.fault.gap_s;
    // At least a microsecond, so that time moves on.
    next = (world_.now() - Time()).to_seconds() + std::max(1e-6, law.sample(instance.rng));
  }
  if (instance.on || next < until) world_.at(at_seconds(std::min(next, until)), *this, payload);
  for (const std::uint32_t server : instance.fault.servers) refresh(server);
}

void FaultClock::refresh(std::uint32_t server) {
  Condition now;
  for (const std::uint32_t i : by_server_[server]) {
    if (!instances_[i].on) continue;
    const Fault& fault = instances_[i].fault;
    switch (fault.kind) {
      case FaultKind::kSlow:
        now.slow *= fault.value;
        break;
      case FaultKind::kErrors:
        now.errors = 1 - (1 - now.errors) * (1 - fault.value);
        break;
      case FaultKind::kPause:
        now.paused = true;
        break;
      case FaultKind::kFastFail:
        now.fast_fail = true;
        now.latency = fault.latency;
        break;
      case FaultKind::kRefuse:
        now.refuse = true;
        now.latency = fault.latency;
        now.retry_after = fault.retry_after;
        break;
      case FaultKind::kDead:
        now.dead = true;
        break;
      case FaultKind::kHang:
        now.hang = true;
        break;
      case FaultKind::kPartition:
        now.partition = true;
        break;
    }
  }
  const Condition before = conditions_[server];
  conditions_[server] = now;
  sink_.condition_changed(server, before);
}

bool FaultClock::cut(std::uint32_t server, std::uint32_t balancer) const {
  return std::ranges::any_of(by_server_[server], [&](std::uint32_t i) {
    const Fault& fault = instances_[i].fault;
    return instances_[i].on && fault.kind == FaultKind::kPartition &&
           (fault.balancers.empty() || std::ranges::count(fault.balancers, balancer) != 0);
  });
}

}  // namespace evener::sim
