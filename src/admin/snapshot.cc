#include "admin/snapshot.h"

#include <algorithm>

namespace evener::admin {
namespace {

PoolReport report_pool(proxy::Pool& pool, Time now) {
  PoolReport report{.name = pool.settings().name,
                    .policy = pool.settings().policy.name,
                    .counters = pool.counters(),
                    .idle_connections = pool.connections().idle(),
                    .endpoints = {}};
  std::vector<EndpointStatus> statuses;
  pool.balancer().snapshot(now, statuses);
  for (const EndpointStatus& status : statuses) {
    report.endpoints.push_back({.name = std::string(status.name),
                                .state = status.reason,
                                .weight = status.weight,
                                .warmup = status.warmup,
                                .in_flight = status.in_flight,
                                .latency = status.latency,
                                .success = status.success,
                                .failures_in_row = status.failures_in_row,
                                .picks = status.picks,
                                .successes = status.successes,
                                .failures = status.failures,
                                .cancelled = status.cancelled,
                                .rejected = status.rejected,
                                .overloaded = status.overloaded,
                                .connect_failed = status.connect_failed});
  }
  return report;
}

void merge_counters(proxy::Counters& into, const proxy::Counters& from) {
  into.connections_accepted += from.connections_accepted;
  into.connections_open += from.connections_open;
  into.requests += from.requests;
  into.requests_open += from.requests_open;
  for (std::size_t i = 0; i < from.responses_by_class.size(); ++i) {
    into.responses_by_class[i] += from.responses_by_class[i];
  }
  for (std::size_t i = 0; i < from.reasons.size(); ++i) into.reasons[i] += from.reasons[i];
  into.connects += from.connects;
  into.connect_failures += from.connect_failures;
  into.reuses += from.reuses;
  into.retries += from.retries;
  into.alias_fields_dropped += from.alias_fields_dropped;
  into.client_bytes_in += from.client_bytes_in;
  into.client_bytes_out += from.client_bytes_out;
}

void merge_endpoint(EndpointReport& into, const EndpointReport& from) {
  const bool first = into.picks == 0;
  if (from.picks > 0) {
    into.latency = first ? from.latency : std::max(into.latency, from.latency);
    into.success = first ? from.success : std::min(into.success, from.success);
  }
  into.failures_in_row = std::max(into.failures_in_row, from.failures_in_row);
  into.in_flight += from.in_flight;
  into.picks += from.picks;
  into.successes += from.successes;
  into.failures += from.failures;
  into.cancelled += from.cancelled;
  into.rejected += from.rejected;
  into.overloaded += from.overloaded;
  into.connect_failed += from.connect_failed;
  into.warmup = std::min(into.warmup, from.warmup);
  if (into.state == "eligible") into.state = from.state;
}

}  // namespace

WorkerReport report(proxy::Worker& worker) {
  WorkerReport result{.counters = worker.counters(), .pools = {}};
  for (std::size_t i = 0; i < worker.pools(); ++i) {
    result.pools.push_back(report_pool(worker.pool(i), worker.loop().now()));
  }
  return result;
}

void merge(Snapshot& into, const WorkerReport& from) {
  ++into.workers;
  merge_counters(into.counters, from.counters);
  if (into.pools.empty()) {
    into.pools = from.pools;
    return;
  }
  for (std::size_t i = 0; i < into.pools.size(); ++i) {
    PoolReport& pool = into.pools[i];
    const PoolReport& other = from.pools[i];
    pool.counters.first_byte.merge(other.counters.first_byte);
    pool.counters.total.merge(other.counters.total);
    pool.counters.requests += other.counters.requests;
    pool.idle_connections += other.idle_connections;
    for (std::size_t k = 0; k < pool.endpoints.size(); ++k) {
      merge_endpoint(pool.endpoints[k], other.endpoints[k]);
    }
  }
}

}  // namespace evener::admin
