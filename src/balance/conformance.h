// The properties every balancer must have, whatever its policy, as functions that return what they
// found wrong instead of failing a test. So the same suite judges the catalog (which must pass) and
// a zoo of deliberately broken balancers (each of which must be caught).
//
// A Subject is the smallest thing that can be judged: the real Balancer behind an adapter, or a
// toy. Virtual time and a seed come in; a run is a function of them. Test code only.
#pragma once

#include <evener/balancer.h>

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace evener::conformance {

class Subject {
 public:
  struct Picked {
    std::uint64_t handle = 0;
    EndpointId id{};
  };

  virtual ~Subject() = default;
  virtual void apply(const std::vector<Endpoint>& endpoints, Time now) = 0;
  // By key: with another key each time.
  virtual std::expected<Picked, PickError> pick(Time now, std::span<const EndpointId> tried) = 0;
  // With this key or expressly without one.
  virtual std::expected<Picked, PickError> pick_key(Time now, std::span<const EndpointId> tried,
                                                    const std::optional<Key>& key) {
    (void)key;
    return pick(now, tried);
  }
  // Gives a request back; without an outcome its ticket is dropped. A second time does nothing.
  virtual void finish(std::uint64_t handle, std::optional<Outcome> outcome, Time now) = 0;
  // In flight to an endpoint of the present set.
  virtual std::int64_t in_flight(EndpointId id) const = 0;
};

struct Entry {
  std::string name;
  std::function<std::unique_ptr<Subject>(std::uint64_t seed)> make;
  bool by_load = false;     // prefers fewer in flight
  bool pairs = false;       // compares two draws: the rank law holds
  bool in_turn = false;     // a rotation: ties are not random
  bool leans = false;       // ties go one way by design: no equal shares either
  bool may_miss = false;    // by design it may take the busier of two: more often the idle one
  bool by_success = false;  // failures cost share
  bool by_key = false;      // hashes: the properties of conformance_keyed.cc hold too
  bool in_order = false;    // by key, and by an endpoint's place in the set
  double spread = 0;        // shares may be off by this part of them: a ring's arcs differ
  double moved = 0;         // most of the others' keys that may move when an endpoint leaves
};

// A policy of the catalog behind a real Balancer.
Entry catalog_entry(const PolicyInfo& info);
// The same with settings; their name is that of the policy. REQUIRES: the catalog has it.
Entry catalog_entry(const PolicySettings& settings);

using Violations = std::vector<std::string>;
struct Property {
  const char* name;
  Violations (*check)(const Entry& entry, std::uint64_t seed);
};
std::span<const Property> properties();
// Those of keyed policies, which are among properties() and hold for any other trivially.
std::span<const Property> keyed_properties();

// Any Balancer with these options (their seed is replaced). Says nothing yet of its properties.
Entry balancer_entry(std::string name, const BalancerOptions& options);

// All properties; each violation starts with the property's name and ends with the seed.
Violations check_all(const Entry& entry, std::uint64_t seed);

// EV_SEED from the environment, else a fixed one.
std::uint64_t seed_from_environment();

Endpoint make_endpoint(std::uint64_t id, double weight = 1);
std::vector<Endpoint> make_endpoints(std::size_t n);

// The p < 1e-6 bound of the chi-square distribution (Wilson and Hilferty).
double chi_square_bound(std::size_t degrees);
double chi_square(std::span<const double> hits, std::span<const double> expected);

}  // namespace evener::conformance
