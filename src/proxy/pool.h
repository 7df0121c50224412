// Pool: one worker's view of one pool: its balancer, its idle connections, its settings.
//
// Owner: the worker. Thread: the worker's loop. The balancer is ticked by picks, at most once a
// millisecond: nothing it learns in a tick matters to anybody but the next pick, so no timer wakes.
#pragma once

#include <evener/balancer.h>

#include <expected>
#include <optional>
#include <unordered_map>

#include "config/config.h"
#include "io/loop.h"
#include "proxy/counters.h"
#include "upstream/connection_pool.h"

namespace evener::proxy {

// The facts of a configured pool, shared by all workers. The error names the pool.
std::expected<EndpointSetPtr, std::string> make_endpoint_set(const config::Pool& pool,
                                                             std::uint32_t workers);
class Pool {
 public:
  Pool(io::Loop& loop, const config::Pool& settings, EndpointSetPtr set, BalancerOptions options,
       upstream::IdleBudget& budget);

  const config::Pool& settings() const { return settings_; }
  Balancer& balancer() { return balancer_; }
  upstream::ConnectionPool& connections() { return connections_; }
  PoolCounters& counters() { return counters_; }
  // Where an endpoint listens. REQUIRES: an id of this pool's set.
  const io::Address& address_of(EndpointId id) const;

  std::expected<Ticket, PickError> pick(std::span<const EndpointId> tried,
                                        const std::optional<Key>& key);

 private:
  io::Loop& loop_;
  const config::Pool& settings_;
  Balancer balancer_;
  upstream::ConnectionPool connections_;
  std::unordered_map<EndpointId, io::Address> addresses_;
  PoolCounters counters_;
  Time next_tick_;
};

}  // namespace evener::proxy
