#include "proxy/pool.h"

#include <utility>

#include "base/check.h"

namespace evener::proxy {
namespace {

constexpr Duration kTick = Duration::milliseconds(1);

}  // namespace

std::expected<EndpointSetPtr, std::string> make_endpoint_set(const config::Pool& pool,
                                                             std::uint32_t workers) {
  std::vector<Endpoint> endpoints;
  for (const config::EndpointConfig& configured : pool.endpoints) {
    Endpoint endpoint;
    endpoint.name = configured.name;
    endpoint.id = endpoint_id(configured.name + "@" + config::to_string(configured.address));
    endpoint.weight = configured.weight;
    endpoints.push_back(std::move(endpoint));
  }
  auto set = EndpointSet::make(1, std::move(endpoints), workers);
  if (!set) return std::unexpected("pool '" + pool.name + "': " + set.error().message);
  return std::move(*set);
}

Pool::Pool(io::Loop& loop, const config::Pool& settings, EndpointSetPtr set,
           BalancerOptions options, upstream::IdleBudget& budget)
    : loop_(loop),
      settings_(settings),
      balancer_(std::move(options)),
      connections_({settings.timeouts.keep_alive, settings.limits.idle_connections_per_endpoint},
                   budget) {
  for (std::size_t i = 0; i < settings.endpoints.size(); ++i) {
    auto address = io::Address::parse(config::to_string(settings.endpoints[i].address));
    EV_CHECK(address.has_value(), "the configuration's addresses have been checked");
    addresses_.emplace(set->endpoints()[i].id, *address);
  }
  balancer_.apply(std::move(set), loop_.now());
}

const io::Address& Pool::address_of(EndpointId id) const {
  const auto found = addresses_.find(id);
  EV_CHECK(found != addresses_.end(), "every endpoint has an address");
  return found->second;
}

std::expected<Ticket, PickError> Pool::pick(std::span<const EndpointId> tried,
                                            const std::optional<Key>& key) {
  const Time now = loop_.now();
  if (now >= next_tick_) {
    balancer_.tick(now);
    next_tick_ = now + kTick;
  }
  return balancer_.pick({.now = now, .tried = tried, .key = key});
}

}  // namespace evener::proxy
