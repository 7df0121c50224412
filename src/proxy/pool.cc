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

PolicySettings policy_settings(const config::PolicyConfig& policy) {
  PolicySettings settings;
  settings.name = policy.name;
  settings.choices = policy.choices;
  settings.estimator =
      policy.estimator == config::Estimator::kPeak ? Estimator::kPeak : Estimator::kMean;
  settings.tau = policy.tau;
  return settings;
}

Pool::TickTimer::TickTimer(Pool& p)
    : Timer([](Timer& timer) { static_cast<TickTimer&>(timer).pool.tick(); }), pool(p) {}

Pool::Pool(io::Loop& loop, const config::Pool& settings, EndpointSetPtr set,
           BalancerOptions options, upstream::IdleBudget& budget)
    : loop_(loop),
      settings_(settings),
      balancer_(std::move(options)),
      connections_({settings.timeouts.keep_alive, settings.limits.idle_connections_per_endpoint},
                   budget),
      tick_timer_(*this) {
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

std::expected<Ticket, PickError> Pool::pick(std::span<const EndpointId> tried) {
  if (!tick_timer_.armed()) {
    balancer_.tick(loop_.now());
    loop_.timers().arm(tick_timer_, loop_.now() + kTick);
  }
  return balancer_.pick({.now = loop_.now(), .tried = tried});
}

void Pool::tick() {
  balancer_.tick(loop_.now());
  if (balancer_.in_flight() > 0) loop_.timers().arm(tick_timer_, loop_.now() + kTick);
}

}  // namespace evener::proxy
