#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include "balance/conformance.h"

namespace evener::conformance {
namespace {

class BalancerSubject final : public Subject {
 public:
  BalancerSubject(BalancerOptions options, std::uint64_t seed)
      : balancer_(seeded(std::move(options), seed)), keys_(seed ^ 21) {}

  void apply(const std::vector<Endpoint>& endpoints, Time now) override {
    balancer_.apply(EndpointSet::make(++version_, endpoints).value(), now);
  }
  std::expected<Picked, PickError> pick(Time now, std::span<const EndpointId> tried) override {
    return pick_key(now, tried, Key{keys_.u64(), static_cast<std::uint32_t>(keys_.u64())});
  }
  std::expected<Picked, PickError> pick_key(Time now, std::span<const EndpointId> tried,
                                            const std::optional<Key>& key) override {
    balancer_.tick(now);
    auto ticket = balancer_.pick({now, tried, key});
    if (!ticket) return std::unexpected(ticket.error());
    const Picked picked{next_handle_++, ticket->id()};
    tickets_.emplace(picked.handle, std::move(*ticket));
    return picked;
  }
  void finish(std::uint64_t handle, std::optional<Outcome> outcome, Time now) override {
    Ticket& ticket = tickets_.at(handle);
    if (!outcome) {
      ticket = Ticket();
      return;
    }
    Ticket moved = std::move(ticket);
    moved.finish(*outcome, now);
    ticket = std::move(moved);
  }
  std::int64_t in_flight(EndpointId id) const override {
    std::vector<EndpointStatus> all;
    balancer_.snapshot(Time(), all);
    for (const EndpointStatus& status : all) {
      if (status.id == id) return status.in_flight;
    }
    return 0;
  }

 private:
  static BalancerOptions seeded(BalancerOptions options, std::uint64_t seed) {
    options.seed = seed;
    return options;
  }

  Balancer balancer_;
  Rng keys_;
  std::uint64_t version_ = 0;
  std::uint64_t next_handle_ = 0;
  std::unordered_map<std::uint64_t, Ticket> tickets_;
};

// Which of the general properties a keyed policy has when every request has another key.
void describe_keyed(const PolicySettings& settings, Entry& entry) {
  const bool bounded = settings.name == "bounded_load";
  entry.by_key = true;
  entry.by_load = (bounded && settings.load_factor < 1.5) || settings.name == "two_choice_hash";
  entry.pairs = settings.name == "two_choice_hash";
  entry.in_order = settings.name == "jump";
  const bool ring = settings.name == "ring" || (bounded && settings.over == KeyedOver::kRing);
  // Five times the standard deviation of a ring's shares.
  if (ring) entry.spread = 5 / std::sqrt(settings.points);
  if (settings.name == "maglev") entry.moved = 0.05;
}

}  // namespace

Entry catalog_entry(const PolicyInfo& info) {
  PolicySettings settings;
  settings.name = info.name;
  settings.table_size = 5003;  // smaller than the default: it is filled for each of many sets
  return catalog_entry(settings);
}

Entry catalog_entry(const PolicySettings& settings) {
  Entry entry = balancer_entry(settings.name, {.policy = settings});
  const auto is = [&](std::string_view name) { return settings.name == name; };
  entry.by_load = !is("random") && !is("round_robin") && !(is("p2c") && settings.beta <= 0);
  entry.may_miss = is("p2c") && entry.by_load && (settings.replacement || settings.beta < 1);
  entry.may_miss |= is("lsq") || (is("p2c_memory") && choices_of(settings) == 1);
  entry.pairs = (is("reported") && choices_of(settings) == 2) ||
                (is("p2c") && choices_of(settings) == 2 && !entry.may_miss && entry.by_load) ||
                (is("peak_ewma") && choices_of(settings) == 2);
  entry.leans = is("go_left");
  entry.in_turn = settings.name == "round_robin";
  const auto info = std::ranges::find(policy_catalog(), settings.name, &PolicyInfo::name);
  entry.by_success = info->uses_success;
  if (info->uses_key) describe_keyed(settings, entry);
  return entry;
}

Entry balancer_entry(std::string name, const BalancerOptions& options) {
  Entry entry;
  entry.name = std::move(name);
  entry.make = [options](std::uint64_t seed) {
    return std::make_unique<BalancerSubject>(options, seed);
  };
  return entry;
}

Violations check_all(const Entry& entry, std::uint64_t seed) {
  Violations all;
  for (const Property& property : properties()) {
    for (std::string& violation : property.check(entry, seed)) {
      all.push_back(std::string(property.name) + ": " + violation +
                    " [EV_SEED=" + std::to_string(seed) + "]");
    }
  }
  return all;
}

std::uint64_t seed_from_environment() {
  const char* const text = std::getenv("EV_SEED");
  return text == nullptr ? 20'240'817 : std::strtoull(text, nullptr, 10);
}

Endpoint make_endpoint(std::uint64_t id, double weight) {
  Endpoint endpoint;
  endpoint.id = EndpointId{id};
  endpoint.name = "e" + std::to_string(id);
  endpoint.weight = weight;
  return endpoint;
}

std::vector<Endpoint> make_endpoints(std::size_t n) {
  std::vector<Endpoint> endpoints;
  for (std::size_t i = 0; i < n; ++i) endpoints.push_back(make_endpoint(i));
  return endpoints;
}

double chi_square_bound(std::size_t degrees) {
  const auto k = static_cast<double>(degrees);
  const double z = 4.7534;  // one in a million
  return k * std::pow(1 - 2 / (9 * k) + z * std::sqrt(2 / (9 * k)), 3);
}

double chi_square(std::span<const double> hits, std::span<const double> expected) {
  double sum = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (expected[i] > 0) sum += (hits[i] - expected[i]) * (hits[i] - expected[i]) / expected[i];
  }
  return sum;
}

}  // namespace evener::conformance
