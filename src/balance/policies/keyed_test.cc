// The keyed policies behind a real Balancer: what a key's traffic does, with load and without.
#include <evener/balancer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <set>

#include "balance/conformance.h"
#include "balance/keyed/ketama_ring.h"

namespace evener {
namespace {

using conformance::seed_from_environment;

PolicySettings named(std::string name) {
  PolicySettings settings;
  settings.name = std::move(name);
  return settings;
}

std::vector<Endpoint> endpoints(std::uint64_t n) {
  std::vector<Endpoint> out;
  for (std::uint64_t i = 0; i < n; ++i) {
    Endpoint endpoint = conformance::make_endpoint(i);
    endpoint.name = "10.0.0." + std::to_string(i) + ":8080";
    out.push_back(std::move(endpoint));
  }
  return out;
}

class Keyed {
 public:
  Keyed(const PolicySettings& policy, std::vector<Endpoint> all)
      : balancer_({.policy = policy, .seed = seed_from_environment()}) {
    apply(std::move(all));
  }

  void apply(std::vector<Endpoint> all) {
    balancer_.apply(EndpointSet::make(++version_, std::move(all)).value(), Time());
  }
  Ticket pick(const Key& key, std::span<const EndpointId> tried = {}) {
    return balancer_.pick({Time(), tried, key}).value();
  }
  // Where the key goes now; nothing stays in flight.
  std::uint64_t owner(const Key& key, std::span<const EndpointId> tried = {}) {
    return static_cast<std::uint64_t>(pick(key, tried).id());
  }
  std::map<std::uint64_t, std::uint64_t> in_flight() const {
    std::vector<EndpointStatus> all;
    balancer_.snapshot(Time(), all);
    std::map<std::uint64_t, std::uint64_t> out;
    for (const auto& s : all) out[static_cast<std::uint64_t>(s.id)] = s.in_flight;
    return out;
  }

 private:
  Balancer balancer_;
  std::uint64_t version_ = 0;
};

Key key_of(std::uint64_t i) { return make_key("user-" + std::to_string(i)); }

std::vector<std::uint64_t> owners(Keyed& keyed, std::uint64_t keys = 2000) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < keys; ++i) out.push_back(keyed.owner(key_of(i)));
  return out;
}

// Of the keys that were not `gone`'s, the share that has moved.
double moved(const std::vector<std::uint64_t>& before, const std::vector<std::uint64_t>& now,
             std::uint64_t gone) {
  double count = 0;
  double all = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == gone) continue;
    all += 1;
    count += now[i] != before[i] ? 1 : 0;
  }
  return count / all;
}

// All endpoints in the order in which a key falls back on them.
std::vector<std::uint64_t> ranking(Keyed& keyed, const Key& key, std::size_t n) {
  std::vector<EndpointId> tried;
  std::vector<std::uint64_t> out;
  while (out.size() < n) {
    out.push_back(keyed.owner(key, tried));
    tried.push_back(EndpointId{out.back()});
  }
  return out;
}

TEST(Ring, case_F20_AKeyPastTheLastPointWrapsToTheFirstAndADeadOwnersKeysToItsSuccessor) {
  const std::vector<Endpoint> all = endpoints(5);
  std::vector<KeyedMember> members;
  for (std::uint32_t i = 0; i < 5; ++i) members.push_back({i, 1, i, ketama_start(all[i].name)});
  KetamaRing ring;
  ring.build(members, 160);
  const auto points = ring.points();
  ASSERT_LT(points.back().hash, 0xffff'ffffU);
  const Key past{.hash = 1, .crc = points.back().hash + 1};
  const Key in_last{.hash = 1, .crc = points.back().hash};

  Keyed keyed(named("ring"), all);
  EXPECT_EQ(keyed.owner(past), points.front().slot);
  EXPECT_EQ(keyed.owner(in_last), points.back().slot);
  const auto before = owners(keyed);
  for (const Key& key : {past, in_last}) {
    const std::uint64_t dead = keyed.owner(key);
    auto successor = key == past ? points.begin() : points.end() - 1;
    while (successor->slot == dead) {
      successor = successor + 1 == points.end() ? points.begin() : successor + 1;
    }
    const EndpointId tried[] = {EndpointId{dead}};
    EXPECT_EQ(keyed.owner(key, tried), successor->slot);
    std::vector<Endpoint> some = all;
    some[dead].up = false;
    keyed.apply(some);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(keyed.owner(key), successor->slot);
    EXPECT_EQ(moved(before, owners(keyed), dead), 0) << "other keys moved";
    keyed.apply(all);
  }
}

// Every pick against a model that knows nothing of rings: of the key's endpoints in order, the
// first that has room, in whole numbers.
void hot_key(KeyedOver over) {
  constexpr std::uint64_t kN = 5;
  PolicySettings settings = named("bounded_load");
  settings.over = over;
  Keyed keyed(settings, endpoints(kN));
  Keyed quiet(named(over == KeyedOver::kRing ? "ring" : "rendezvous"), endpoints(kN));
  const std::uint64_t seed = seed_from_environment();
  Rng rng(seed);
  std::map<std::uint64_t, std::vector<std::uint64_t>> rankings;
  std::deque<Ticket> out;
  std::uint64_t at_home = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::size_t most = i < 2000 ? 8 : 100;
    while (out.size() >= most) {
      std::swap(out.front(), out[rng.below(out.size())]);
      out.pop_front();
    }
    const std::uint64_t number = rng.below(100) < 60 ? 0 : 1 + rng.below(50);
    std::vector<std::uint64_t>& order = rankings[number];
    if (order.empty()) order = ranking(quiet, key_of(number), kN);
    auto counts = keyed.in_flight();
    const std::uint64_t total = out.size() + 1;
    // in flight + 1 <= ceil(1.25 x total / 5), times 4 x 5.
    const std::uint64_t bound = (5 * total + 4 * kN - 1) / (4 * kN);
    const auto expected = std::ranges::find_if(order, [&](auto e) { return counts[e] < bound; });
    ASSERT_NE(expected, order.end());
    out.push_back(keyed.pick(key_of(number)));
    const auto got = static_cast<std::uint64_t>(out.back().id());
    ASSERT_EQ(got, *expected) << "key " << number << ", pick " << i << ", EV_SEED=" << seed;
    ASSERT_LE(counts[got] + 1, bound);
    at_home += got == order.front() ? 1 : 0;
  }
  EXPECT_GT(at_home, 1200U) << "the bound must bite, and no more";
}

TEST(BoundedLoad, case_F20_AHotKeyOverflowsToTheNextOnTheRingAndOtherKeysStay) {
  hot_key(KeyedOver::kRing);
}
TEST(BoundedLoad, case_F20_AHotKeyOverflowsToTheNextByRendezvous) {
  hot_key(KeyedOver::kRendezvous);
}

TEST(BoundedLoad, SharesOfTheBoundFollowWeights) {
  std::vector<Endpoint> all = endpoints(3);
  all[1].weight = 2;
  all[2].weight = 5;
  for (const KeyedOver over : {KeyedOver::kRing, KeyedOver::kRendezvous}) {
    PolicySettings settings = named("bounded_load");
    settings.over = over;
    for (std::uint64_t hot = 0; hot < 20; ++hot) {
      Keyed keyed(settings, all);
      std::vector<Ticket> out;
      for (std::uint64_t total = 1; total <= 160; ++total) {
        out.push_back(keyed.pick(key_of(hot)));
        const auto at = static_cast<std::size_t>(out.back().id());
        const double bound = std::ceil(1.25 * static_cast<double>(total) * all[at].weight / 8);
        ASSERT_LE(static_cast<double>(keyed.in_flight()[at]), bound) << total << " in flight";
      }
    }
  }
}

TEST(BoundedLoad, WhatIsBarredTakesNoPartInTheShares) {
  std::vector<Endpoint> all = endpoints(3);
  all[0].weight = 10;
  for (std::uint64_t hot = 0; hot < 20; ++hot) {
    Balancer balancer({.policy = named("bounded_load"), .seed = seed_from_environment()});
    balancer.apply(EndpointSet::make(1, all).value(), Time());
    const EndpointId others[] = {EndpointId{1}, EndpointId{2}};
    balancer.pick({Time(), others, key_of(hot)})
        ->finish(Outcome::kFailure, Time(), Duration::seconds(60));
    ASSERT_EQ(balancer.eligible(), 2U);
    const EndpointId home = balancer.pick({Time(), {}, key_of(hot)})->id();
    std::vector<Ticket> out;
    std::uint64_t at_home = 0;
    for (std::uint64_t total = 1; total <= 80; ++total) {
      // At home while it has room: held + 1 <= ceil(1.25 x total / 2).
      const bool room = at_home + 1 <= (5 * total + 7) / 8;
      out.push_back(balancer.pick({Time(), {}, key_of(hot)}).value());
      ASSERT_EQ(out.back().id() == home, room) << total << " in flight, key " << hot;
      at_home += room ? 1 : 0;
    }
  }
}

TEST(BoundedLoad, ARetryFindsAnEndpointThoughTheBoundIsFull) {
  Keyed keyed(named("bounded_load"), endpoints(3));
  std::vector<Ticket> out;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Key key = key_of(i);
    out.push_back(keyed.pick(key));
    const EndpointId first[] = {out.back().id()};
    out.push_back(keyed.pick(key, first));
    EXPECT_NE(out.back().id(), first[0]);
    const EndpointId both[] = {first[0], out.back().id()};
    out.push_back(keyed.pick(key, both));
  }
  for (const auto& [id, count] : keyed.in_flight()) EXPECT_EQ(count, 50U) << id;
}

TEST(TwoChoiceHash, AHotKeyIsSpreadOverExactlyTwoHoweverMuchThereIs) {
  for (std::uint64_t hot = 0; hot < 50; ++hot) {
    Keyed keyed(named("two_choice_hash"), endpoints(10));
    std::vector<Ticket> out;
    for (int i = 0; i < 200; ++i) out.push_back(keyed.pick(key_of(hot)));
    std::vector<std::uint64_t> used;
    for (const auto& [id, count] : keyed.in_flight()) {
      if (count != 0) used.push_back(count);
    }
    EXPECT_EQ(used, (std::vector<std::uint64_t>{100, 100}));
  }
}

TEST(TwoChoiceHash, WeightsShareTheHotKey) {
  std::vector<Endpoint> all = endpoints(2);
  all[1].weight = 3;
  Keyed keyed(named("two_choice_hash"), all);
  std::vector<Ticket> out;
  for (int i = 0; i < 200; ++i) out.push_back(keyed.pick(key_of(1)));
  EXPECT_NEAR(static_cast<double>(keyed.in_flight()[1]), 150, 2);
}

// Both candidates of a key, by loading it.
std::set<std::uint64_t> pair_of(Keyed& keyed, const Key& key) {
  std::vector<Ticket> out;
  std::set<std::uint64_t> both;
  for (int i = 0; i < 4; ++i) {
    out.push_back(keyed.pick(key));
    both.insert(static_cast<std::uint64_t>(out.back().id()));
  }
  return both;
}

TEST(TwoChoiceHash, BothCandidatesStayWhenOthersComeAndGo) {
  const std::vector<Endpoint> all = endpoints(8);
  Keyed keyed(named("two_choice_hash"), all);
  for (std::uint64_t k = 0; k < 200; ++k) {
    keyed.apply(all);
    const std::set<std::uint64_t> both = pair_of(keyed, key_of(k));
    ASSERT_EQ(both.size(), 2U);
    for (std::uint64_t gone = 0; gone < all.size(); ++gone) {
      std::vector<Endpoint> some = all;
      some.erase(some.begin() + static_cast<std::ptrdiff_t>(gone));
      keyed.apply(some);
      std::set<std::uint64_t> kept = pair_of(keyed, key_of(k));
      ASSERT_EQ(kept.size(), 2U);
      if (!both.contains(gone)) {
        ASSERT_EQ(kept, both);
        continue;
      }
      for (const std::uint64_t candidate : both) {
        if (candidate != gone) ASSERT_TRUE(kept.contains(candidate));
      }
    }
  }
}

TEST(Keyed, LeavingTheSetMovesOnlyTheLeaversKeys) {
  for (const char* name : {"rendezvous", "ring", "two_choice_hash", "bounded_load", "maglev"}) {
    const std::vector<Endpoint> all = endpoints(20);
    Keyed keyed(named(name), all);
    const auto before = owners(keyed);
    for (const std::uint64_t gone : {0U, 7U, 19U}) {
      std::vector<Endpoint> some = all;
      some.erase(some.begin() + static_cast<std::ptrdiff_t>(gone));
      std::ranges::reverse(some);
      keyed.apply(some);
      EXPECT_LE(moved(before, owners(keyed), gone), name == std::string("maglev") ? 0.05 : 0)
          << name;
      keyed.apply(all);
      EXPECT_EQ(owners(keyed), before) << name;
    }
  }
}

TEST(Jump, OnlyTheEndOfTheSetMayGrowAndShrink) {
  std::vector<Endpoint> all = endpoints(20);
  Keyed keyed(named("jump"), all);
  const auto before = owners(keyed);
  std::vector<Endpoint> some = all;
  some.pop_back();
  keyed.apply(some);
  EXPECT_EQ(moved(before, owners(keyed), 19), 0);
  some = endpoints(21);
  keyed.apply(some);
  const auto grown = owners(keyed);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(grown[i] == before[i] || grown[i] == 20);
  }
  // What it cannot do: the endpoints behind one that leaves get new numbers.
  some = all;
  some.erase(some.begin());
  keyed.apply(some);
  EXPECT_GT(moved(before, owners(keyed), 0), 0.5);
  // Down is not gone: the number stays taken.
  some = all;
  for (std::size_t down = 0; down < 15; ++down) some[down].up = false;
  keyed.apply(some);
  const auto few = owners(keyed);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] >= 15) EXPECT_EQ(few[i], before[i]);
  }
}

TEST(Keyed, OneRequestPerKeyIsSpreadByWeight) {
  std::vector<Endpoint> all = endpoints(6);
  double sum = 0;
  for (Endpoint& endpoint : all) {
    endpoint.weight = 1 + static_cast<double>(endpoint.id) / 2;
    sum += endpoint.weight;
  }
  constexpr std::uint64_t kKeys = 20'000;
  for (const PolicyInfo& info : policy_catalog()) {
    if (!info.uses_key) continue;
    Keyed keyed(named(std::string(info.name)), all);
    std::vector<double> hits(6);
    for (const std::uint64_t owner : owners(keyed, kKeys)) hits[owner] += 1;
    const bool ring = info.name == "ring" || info.name == "bounded_load";
    for (std::size_t i = 0; i < 6; ++i) {
      const double expected = kKeys * all[i].weight / sum;
      const double spread = ring ? 5 * expected / std::sqrt(160 * all[i].weight) : 0;
      EXPECT_NEAR(hits[i], expected, 5 * std::sqrt(expected) + spread) << info.name << ' ' << i;
    }
  }
}

TEST(Keyed, ExplainShowsTheTwoCandidates) {
  Balancer balancer({.policy = named("two_choice_hash"), .seed = 1});
  balancer.apply(EndpointSet::make(1, endpoints(5)).value(), Time());
  const Ticket held = balancer.pick({Time(), {}, key_of(3)}).value();
  const Ticket second = balancer.pick({Time(), {}, key_of(3)}).value();
  const Explanation explanation = balancer.explain();
  ASSERT_EQ(explanation.candidates.size(), 2U);
  EXPECT_EQ(explanation.candidates[0].id, held.id());
  EXPECT_EQ(explanation.candidates[0].cost, 1);
  EXPECT_EQ(explanation.candidates[1].id, second.id());
  EXPECT_TRUE(explanation.candidates[1].chosen);
}

}  // namespace
}  // namespace evener
