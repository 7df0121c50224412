// The properties of policies that hash, measured while nothing is in flight, so that load decides
// nothing: a key's endpoint is a function of the key and the set alone.
#include <algorithm>
#include <iterator>

#include "balance/conformance.h"

namespace evener::conformance {
namespace {

constexpr std::size_t kN = 12;
constexpr std::size_t kKeys = 3000;

std::size_t index(EndpointId id) { return static_cast<std::size_t>(id); }

std::vector<Key> make_keys(std::uint64_t seed) {
  Rng rng(seed ^ 33);
  std::vector<Key> keys;
  for (std::size_t i = 0; i < kKeys; ++i) keys.push_back(make_key(std::to_string(rng.u64())));
  return keys;
}

// Where a key goes with nothing in flight; kN: nowhere.
std::size_t owner(Subject& subject, const std::optional<Key>& key,
                  std::span<const EndpointId> tried = {}) {
  const auto picked = subject.pick_key(Time(), tried, key);
  if (!picked) return kN;
  subject.finish(picked->handle, Outcome::kRejected, Time());
  return index(picked->id);
}

std::vector<std::size_t> owners(Subject& subject, const std::vector<Key>& keys) {
  std::vector<std::size_t> out;
  for (const Key& key : keys) out.push_back(owner(subject, key));
  return out;
}

std::vector<Endpoint> weighted_endpoints(bool weighted) {
  std::vector<Endpoint> endpoints = make_endpoints(kN);
  for (std::size_t i = 0; weighted && i < kN; ++i) endpoints[i].weight = i % 2 == 0 ? 1 : 2.5;
  return endpoints;
}

// A key's endpoint is the same each time, in another instance, and whatever the set's order.
Violations affinity(const Entry& entry, std::uint64_t seed) {
  if (!entry.by_key) return {};
  Rng rng(seed ^ 34);
  const std::vector<Key> keys = make_keys(seed);
  std::vector<Endpoint> endpoints = make_endpoints(kN);
  const auto subject = entry.make(seed);
  subject->apply(endpoints, Time());
  const auto first = owners(*subject, keys);
  Violations out;
  if (owners(*subject, keys) != first) out.push_back("keys move while nothing changes");
  if (!entry.in_order) {
    for (std::size_t i = kN; i > 1; --i) std::swap(endpoints[i - 1], endpoints[rng.below(i)]);
  }
  const auto other = entry.make(seed + 1);
  other->apply(endpoints, Time());
  if (owners(*other, keys) != first) out.push_back("instances disagree");
  return out;
}

// How many of the keys that were not `gone`'s have moved.
std::size_t moved(const std::vector<std::size_t>& before, const std::vector<std::size_t>& now,
                  std::size_t gone) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] != gone && now[i] != before[i]) ++count;
  }
  return count;
}

// When an endpoint goes down only its keys move; when it is back, they are too.
Violations disruption(const Entry& entry, std::uint64_t seed) {
  if (!entry.by_key) return {};
  Violations out;
  const std::vector<Key> keys = make_keys(seed);
  for (const bool weighted : {false, true}) {
    std::vector<Endpoint> endpoints = weighted_endpoints(weighted);
    const auto subject = entry.make(seed);
    subject->apply(endpoints, Time());
    const auto before = owners(*subject, keys);
    for (std::size_t gone = 0; gone < kN; ++gone) {
      endpoints[gone].up = false;
      subject->apply(endpoints, Time());
      const auto without = owners(*subject, keys);
      if (std::ranges::find(without, gone) != without.end()) out.push_back("a key goes nowhere");
      const std::size_t count = moved(before, without, gone);
      if (static_cast<double>(count) > entry.moved * static_cast<double>(kKeys)) {
        out.push_back(std::to_string(count) + " keys of others moved");
      }
      endpoints[gone].up = true;
      subject->apply(endpoints, Time());
      if (owners(*subject, keys) != before) out.push_back("keys do not come back");
    }
  }
  return out;
}

// The second and third endpoint of a key are others than the first, and the same everywhere.
Violations retries(const Entry& entry, std::uint64_t seed) {
  if (!entry.by_key) return {};
  const auto one = entry.make(seed);
  const auto two = entry.make(seed + 1);
  one->apply(weighted_endpoints(true), Time());
  two->apply(weighted_endpoints(true), Time());
  Violations out;
  for (const Key& key : make_keys(seed)) {
    std::vector<EndpointId> tried;
    for (int attempt = 0; attempt < 3; ++attempt) {
      const std::size_t first = owner(*one, key, tried);
      if (std::ranges::find(tried, EndpointId{first}) != tried.end()) return {"tried again"};
      if (owner(*two, key, tried) != first) return {"retries of one key go different ways"};
      tried.push_back(EndpointId{first});
    }
  }
  return out;
}

// Requests without a key are spread evenly.
Violations without_key(const Entry& entry, std::uint64_t seed) {
  if (!entry.by_key) return {};
  const auto subject = entry.make(seed);
  subject->apply(make_endpoints(kN), Time());
  std::vector<double> hits(kN);
  for (std::size_t i = 0; i < kKeys; ++i) hits.at(owner(*subject, std::nullopt)) += 1;
  const double chi = chi_square(hits, std::vector<double>(kN, double{kKeys} / kN));
  if (chi <= chi_square_bound(kN - 1)) return {};
  return {"without a key, chi-square " + std::to_string(chi)};
}

constexpr Property kKeyed[] = {
    {"accept_keyed_affinity", affinity},
    {"accept_keyed_disruption", disruption},
    {"accept_keyed_retries", retries},
    {"accept_keyed_without_key", without_key},
};

}  // namespace

std::span<const Property> keyed_properties() { return kKeyed; }

}  // namespace evener::conformance
