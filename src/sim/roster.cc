#include "sim/roster.h"

#include <utility>

#include "base/check.h"

namespace evener::sim {

Roster::Roster(const FleetOptions& options) : workers_(options.board ? options.balancers : 1) {
  for (const ServerGroup& group : options.servers) {
    weights_.insert(weights_.end(), group.count, static_cast<float>(group.weight));
  }
  present_.assign(weights_.size(), true);
  for (const Rollout& rollout : options.rollouts) {
    double at = rollout.at_s;
    for (const std::uint32_t server : rollout.servers) {
      if (rollout.join) present_[server] = false;
      const bool new_step = steps_.empty() || rollout.apart_s > 0 || server == rollout.servers[0];
      if (new_step) steps_.push_back({at, rollout.join, rollout.notice_s, {}});
      steps_.back().servers.push_back(server);
      at += rollout.apart_s;
    }
  }
}

EndpointSetPtr Roster::make() {
  std::vector<Endpoint> endpoints;
  endpoints.reserve(weights_.size());
  for (std::uint32_t i = 0; i < weights_.size(); ++i) {
    if (!present_[i]) continue;
    Endpoint& endpoint = endpoints.emplace_back();
    endpoint.id = EndpointId{i};
    endpoint.name = "s" + std::to_string(i);
    endpoint.weight = static_cast<double>(weights_[i]);
  }
  auto set = EndpointSet::make(++version_, std::move(endpoints), workers_);
  EV_CHECK(set.has_value(), set.error().message);
  return std::move(*set);
}

}  // namespace evener::sim
