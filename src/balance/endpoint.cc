#include <evener/endpoint.h>

#include <cmath>

#include "base/hash.h"

namespace evener {
namespace {

std::unexpected<Error> fail(std::string message) {
  return std::unexpected(Error{std::move(message)});
}

std::string called(const Endpoint& endpoint, std::size_t index) {
  return "endpoint \"" + endpoint.name + "\" (number " + std::to_string(index + 1) + ")";
}

bool weight_allowed(double weight) {
  return std::isfinite(weight) && weight >= EndpointSet::kWeightMin &&
         weight <= EndpointSet::kWeightMax;
}

}  // namespace

EndpointId endpoint_id(std::string_view name) { return EndpointId{hash64(name)}; }

std::expected<std::shared_ptr<const EndpointSet>, Error> EndpointSet::make(
    std::uint64_t version, std::vector<Endpoint> endpoints, std::uint32_t workers) {
  if (endpoints.size() > kEndpointsMax) {
    return fail("a set holds at most " + std::to_string(kEndpointsMax) + " endpoints, found " +
                std::to_string(endpoints.size()));
  }
  if (workers < 1 || workers > kWorkersMax) {
    return fail("expected 1 to " + std::to_string(kWorkersMax) + " workers, found " +
                std::to_string(workers));
  }
  struct Made : EndpointSet {
    Made(std::uint64_t v, std::vector<Endpoint> e) noexcept : EndpointSet(v, std::move(e)) {}
  };
  auto set = std::make_shared<Made>(version, std::move(endpoints));
  set->index_.reserve(set->size());
  for (std::uint32_t i = 0; i < set->size(); ++i) {
    const Endpoint& endpoint = set->endpoints_[i];
    if (!weight_allowed(endpoint.weight)) {
      return fail(called(endpoint, i) + ": expected a weight between 0.000001 and 1000000, found " +
                  std::to_string(endpoint.weight));
    }
    const auto [known, fresh] = set->index_.try_emplace(endpoint.id, i);
    if (!fresh) {
      return fail(called(endpoint, i) + ": same identity as " +
                  called(set->endpoints_[known->second], known->second) +
                  "; expected each endpoint once");
    }
  }
  if (workers > 1) set->board_ = std::make_unique<LoadBoard>(workers, set->size());
  return set;
}

const Endpoint* EndpointSet::find(EndpointId id) const {
  const auto found = index_.find(id);
  return found == index_.end() ? nullptr : &endpoints_[found->second];
}

}  // namespace evener
