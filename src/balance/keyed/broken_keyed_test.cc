// A toy that hashes, with one switchable fault, to show that the keyed properties can fail; and the
// catalog's keyed policies with settings other than the defaults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "balance/conformance.h"

namespace evener::conformance {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::StartsWith;

enum class KeyedFault {
  kNone,
  kModulo,           // the key's number modulo the number of endpoints
  kListOrder,        // equal draws are common, and go to the one listed first
  kSeeded,           // every instance hashes in its own way
  kRandomRetry,      // a retry goes anywhere
  kFirstWithoutKey,  // requests without a key all go to the same endpoint
};

// Rendezvous, written once more. Counts nothing: only what keys do is judged.
class KeyedToy final : public Subject {
 public:
  KeyedToy(KeyedFault fault, std::uint64_t seed) : fault_(fault), seed_(seed), rng_(seed) {}

  void apply(const std::vector<Endpoint>& endpoints, Time) override { all_ = endpoints; }
  std::expected<Picked, PickError> pick(Time now, std::span<const EndpointId> tried) override {
    return pick_key(now, tried, Key{rng_.u64(), 0});
  }
  std::expected<Picked, PickError> pick_key(Time, std::span<const EndpointId> tried,
                                            const std::optional<Key>& key) override {
    std::vector<const Endpoint*> left;
    for (const Endpoint& endpoint : all_) {
      if (endpoint.up && std::ranges::find(tried, endpoint.id) == tried.end()) {
        left.push_back(&endpoint);
      }
    }
    if (left.empty()) return std::unexpected(PickError::kAllTried);
    if (!key) {
      const bool first = fault_ == KeyedFault::kFirstWithoutKey;
      return Picked{0, left[first ? 0 : rng_.below(left.size())]->id};
    }
    if (fault_ == KeyedFault::kRandomRetry && !tried.empty()) {
      return Picked{0, left[rng_.below(left.size())]->id};
    }
    if (fault_ == KeyedFault::kModulo) {
      std::ranges::sort(left, {}, &Endpoint::id);
      return Picked{0, left[key->hash % left.size()]->id};
    }
    return Picked{0, (*std::ranges::min_element(left, {}, [&](const Endpoint* endpoint) {
                       return draw(*endpoint, key->hash);
                     }))->id};
  }
  void finish(std::uint64_t, std::optional<Outcome>, Time) override {}
  std::int64_t in_flight(EndpointId) const override { return 0; }

 private:
  double draw(const Endpoint& endpoint, std::uint64_t key) const {
    if (fault_ == KeyedFault::kSeeded) key ^= mix64(seed_);
    std::uint64_t bits = mix64(key ^ mix64(static_cast<std::uint64_t>(endpoint.id)));
    if (fault_ == KeyedFault::kListOrder) bits &= std::uint64_t{3} << 62;
    return -std::log1p(-static_cast<double>(bits >> 11) * 0x1.0p-53) / endpoint.weight;
  }

  KeyedFault fault_;
  std::uint64_t seed_;
  Rng rng_;
  std::vector<Endpoint> all_;
};

Violations check_keyed(KeyedFault fault) {
  Entry entry;
  entry.make = [fault](std::uint64_t seed) { return std::make_unique<KeyedToy>(fault, seed); };
  entry.by_key = true;
  Violations all;
  for (const Property& property : keyed_properties()) {
    for (const std::string& violation : property.check(entry, seed_from_environment())) {
      all.push_back(std::string(property.name) + ": " + violation);
    }
  }
  return all;
}

struct Caught {
  KeyedFault fault;
  const char* by;
};

class KeyedZoo : public ::testing::TestWithParam<Caught> {};

TEST_P(KeyedZoo, EveryFaultIsCaughtByItsProperty) {
  EXPECT_THAT(check_keyed(GetParam().fault), Contains(StartsWith(GetParam().by)));
}

INSTANTIATE_TEST_SUITE_P(Conformance, KeyedZoo,
                         ::testing::Values(Caught{KeyedFault::kModulo, "accept_keyed_disruption"},
                                           Caught{KeyedFault::kListOrder, "accept_keyed_affinity"},
                                           Caught{KeyedFault::kSeeded, "accept_keyed_affinity"},
                                           Caught{KeyedFault::kRandomRetry, "accept_keyed_retries"},
                                           Caught{KeyedFault::kFirstWithoutKey,
                                                  "accept_keyed_without_key"}),
                         [](const auto& info) {
                           return "fault_" + std::to_string(static_cast<int>(info.param.fault)) +
                                  "_" + info.param.by;
                         });

TEST(KeyedZoo, WithoutAFaultItPasses) { EXPECT_THAT(check_keyed(KeyedFault::kNone), IsEmpty()); }

TEST(KeyedSettings, KeepEveryPropertyWithOtherSettings) {
  std::vector<PolicySettings> all(4);
  all[0].name = "bounded_load";
  all[0].over = KeyedOver::kRendezvous;
  all[1].name = "bounded_load";
  all[1].load_factor = 1.01;
  all[2].name = "bounded_load";
  all[2].load_factor = 100;
  all[3].name = "ring";
  all[3].points = 1000;
  for (const PolicySettings& settings : all) {
    EXPECT_THAT(check_all(catalog_entry(settings), seed_from_environment()), IsEmpty())
        << settings.name << ' ' << settings.load_factor;
  }
  PolicySettings maglev;
  maglev.name = "maglev";
  for (const Property& property : keyed_properties()) {
    EXPECT_THAT(property.check(catalog_entry(maglev), seed_from_environment()), IsEmpty());
  }
}

}  // namespace
}  // namespace evener::conformance
