// Snapshot: what all workers together have done and see, at about one moment.
//
// Values: each worker fills a WorkerReport on its own thread, the control loop merges them.
// Bounded by the configuration (pools, endpoints, workers), never by traffic.
#pragma once

#include <string>
#include <vector>

#include "proxy/worker.h"

namespace evener::admin {

struct EndpointReport {
  std::string name;
  // EndpointStatus::reason; where workers differ, that of one for which it is not eligible.
  std::string state;
  double weight = 1;
  double warmup = 1;  // the least
  std::uint64_t in_flight = 0;
  // Of the workers that have sent something there: the slowest estimate and the lowest success.
  Duration latency;
  double success = 1;
  std::uint32_t failures_in_row = 0;  // the most that a worker counts
  std::uint64_t picks = 0;
  std::uint64_t successes = 0;
  std::uint64_t failures = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t rejected = 0;
  std::uint64_t overloaded = 0;
  std::uint64_t connect_failed = 0;
};

struct PoolReport {
  std::string name;
  std::string policy;
  proxy::PoolCounters counters;
  std::uint64_t idle_connections = 0;
  std::vector<EndpointReport> endpoints;
};

struct WorkerReport {
  proxy::Counters counters;
  std::vector<PoolReport> pools;
};

struct Snapshot {
  std::uint32_t workers = 0;
  std::string engine;
  proxy::Counters counters;
  std::vector<PoolReport> pools;
};

// REQUIRES: called on the worker's thread.
WorkerReport report(proxy::Worker& worker);
void merge(Snapshot& into, const WorkerReport& from);

}  // namespace evener::admin
