#include <evener/subset.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "base/rng.h"

namespace evener {
namespace {

Endpoint endpoint(std::uint64_t number, double weight = 1) {
  Endpoint made;
  made.name = "10.0.0." + std::to_string(number) + ":8080";
  made.id = endpoint_id(made.name);
  made.weight = weight;
  return made;
}

std::vector<Endpoint> endpoints(std::size_t n) {
  std::vector<Endpoint> made;
  for (std::size_t i = 0; i < n; ++i) made.push_back(endpoint(i));
  return made;
}

std::set<EndpointId> ids(std::span<const Endpoint> all, const SubsetSettings& settings) {
  std::set<EndpointId> found;
  for (const SubsetMember& member : choose_subset(all, settings)) {
    EXPECT_GT(member.share, 0);
    EXPECT_LE(member.share, 1);
    EXPECT_TRUE(found.insert(all[member.endpoint].id).second);
  }
  return found;
}

// How many of `a` are not in `b`.
std::size_t missing(const std::set<EndpointId>& a, const std::set<EndpointId>& b) {
  return static_cast<std::size_t>(
      std::ranges::count_if(a, [&b](EndpointId id) { return !b.contains(id); }));
}

TEST(Subset, RefusesSettingsOutOfRange) {
  EXPECT_TRUE(check_settings(SubsetSettings{}));
  EXPECT_TRUE(check_settings(SubsetSettings{.size = 20, .index = 2, .count = 3}));
  EXPECT_FALSE(check_settings(SubsetSettings{.size = 20, .index = 3, .count = 3}));
  EXPECT_FALSE(check_settings(SubsetSettings{.size = 20, .index = 1}));
  EXPECT_FALSE(check_settings(SubsetSettings{.count = kInstancesMax + 1}));
  EXPECT_FALSE(check_settings(SubsetSettings{.size = 1'000'001}));
}

TEST(Subset, AllWhenOffOrNotSmallerAndNeverUnderTwelve) {
  const std::vector<Endpoint> all = endpoints(30);
  EXPECT_EQ(choose_subset(all, {}).size(), 30U);
  EXPECT_EQ(choose_subset(all, {.size = 30}).size(), 30U);
  EXPECT_EQ(choose_subset(all, {.size = 1}).size(), 12U);
  EXPECT_EQ(choose_subset(endpoints(12), {.size = 1}).size(), 12U);
  EXPECT_EQ(choose_subset({}, {.size = 1}).size(), 0U);
  EXPECT_EQ(choose_subset(all, {.size = 1, .index = 0, .count = 30}).size(), 12U);
  EXPECT_EQ(choose_subset(all, {.size = 29, .count = 1}).size(), 30U) << "alone it takes all";
}

TEST(Subset, TheOrderOfTheEndpointsDoesNotMatter) {
  std::vector<Endpoint> all = endpoints(100);
  const SubsetSettings settings[] = {{.size = 20, .seed = 5}, {.size = 20, .index = 3, .count = 7}};
  for (const SubsetSettings& each : settings) {
    const std::set<EndpointId> before = ids(all, each);
    std::ranges::reverse(all);
    EXPECT_EQ(ids(all, each), before);
  }
}

TEST(Subset, accept_T33_OneChangeOfThePoolChangesAtMostOneMember) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    std::vector<Endpoint> all = endpoints(60);
    std::uint64_t next = 60;
    const SubsetSettings settings = {.size = 20, .seed = rng.u64()};
    std::set<EndpointId> before = ids(all, settings);
    for (int i = 0; i < 300; ++i) {
      const std::size_t at = rng.below(all.size());
      switch (rng.below(4)) {
        case 0:
          all.push_back(endpoint(next++));
          break;
        case 1:
          if (all.size() > 25) all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
          break;
        case 2:
          all[at].up = !all[at].up;
          break;
        default:
          all[at].draining = !all[at].draining;
      }
      const std::set<EndpointId> after = ids(all, settings);
      ASSERT_EQ(after.size(), 20U);
      ASSERT_LE(missing(before, after), 1U);
      ASSERT_LE(missing(after, before), 1U);
      before = after;
    }
  }
}

TEST(Subset, RefillsToAsManyUsableMembers) {
  Rng rng(3);
  for (int i = 0; i < 100; ++i) {
    std::vector<Endpoint> all = endpoints(80);
    for (Endpoint& each : all) each.up = rng.below(2) == 0;
    const auto up = std::ranges::count_if(all, &Endpoint::up);
    for (const std::uint32_t count : {0U, 40U, 80U, 200U}) {
      const SubsetSettings settings = {
          .size = 20, .seed = rng.u64(), .index = count / 3, .count = count};
      std::ptrdiff_t usable = 0;
      for (const SubsetMember& m : choose_subset(all, settings))
        usable += all[m.endpoint].up ? 1 : 0;
      ASSERT_GE(usable, std::min<std::ptrdiff_t>(up, 20)) << count;
      if (count == 0) ASSERT_EQ(usable, std::min<std::ptrdiff_t>(up, 20));
    }
  }
}

TEST(Subset, accept_T34_ClientsPerEndpointAreBinomial) {
  const std::vector<Endpoint> all = endpoints(100);
  std::vector<int> clients(100, 0);
  Rng rng(34);
  constexpr int kClients = 1000;
  for (int client = 0; client < kClients; ++client) {
    for (const SubsetMember& m : choose_subset(all, {.size = 20, .seed = rng.u64()})) {
      ++clients[m.endpoint];
    }
  }
  const double mean = kClients * 0.2;
  const double sigma = std::sqrt(kClients * 0.2 * 0.8);
  double squares = 0;
  for (const int count : clients) {
    EXPECT_NEAR(count, mean, 4 * sigma);
    squares += (count - mean) * (count - mean) / (sigma * sigma);
  }
  EXPECT_NEAR(squares, 100, 4 * std::sqrt(200.0)) << "nor closer than chance";
}

TEST(Subset, SeedsThatFollowEachOtherGiveUnrelatedSubsets) {
  const std::vector<Endpoint> all = endpoints(200);
  double shared = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto a = ids(all, {.size = 20, .seed = seed});
    shared += 20.0 - static_cast<double>(missing(a, ids(all, {.size = 20, .seed = seed + 1})));
  }
  EXPECT_NEAR(shared / 200, 2, 0.4);
}

TEST(Subset, accept_T35_EveryPointOfTheRingIsCoveredEquallyOften) {
  for (const std::uint32_t servers : {13U, 20U, 37U, 100U}) {
    for (const std::uint32_t clients : {1U, 3U, 10U, 37U, 64U, 101U, 300U}) {
      for (const bool weighted : {false, true}) {
        SCOPED_TRACE(testing::Message() << clients << " of " << servers << " " << weighted);
        std::vector<Endpoint> all = endpoints(servers);
        if (weighted) {
          for (std::size_t i = 0; i < all.size(); ++i)
            all[i].weight = 1.0 + static_cast<double>(i % 4);
        }
        std::vector<double> covered(servers, 0);
        for (std::uint32_t index = 0; index < clients; ++index) {
          double width = 0;
          double weights = 0;
          for (const auto& [i, share] :
               choose_subset(all, {.size = 12, .index = index, .count = clients})) {
            covered[i] += share;
            width += share * all[i].weight;
          }
          for (const Endpoint& each : all) weights += each.weight;
          const double steps = std::ceil(12.0 * clients / servers);
          EXPECT_NEAR(width / weights, std::min(steps / clients, 1.0), 1e-5);
        }
        for (const double cover : covered) ASSERT_NEAR(cover, covered[0], 1e-9);
        EXPECT_NEAR(covered[0], std::min(std::ceil(12.0 * clients / servers), 1.0 * clients), 1e-9);
      }
    }
  }
}

TEST(Subset, accept_T35_OnlyTheEdgesAreFractional) {
  const std::vector<Endpoint> all = endpoints(37);
  for (std::uint32_t index = 0; index < 50; ++index) {
    const auto members = choose_subset(all, {.size = 12, .index = index, .count = 50});
    EXPECT_LE(std::ranges::count_if(members, [](const auto& m) { return m.share < 1; }), 2);
    EXPECT_GE(members.size(), 12U);
    EXPECT_LE(members.size(), 14U);
  }
}

// Row 64 of the peers' faults: wrap-around, a range of the whole ring, rounding.
TEST(Subset, accept_T35_TheLargestPoolsStayExact) {
  std::vector<Endpoint> all = endpoints(2000);
  all[0].weight = EndpointSet::kWeightMin;
  all[1].weight = EndpointSet::kWeightMax;
  for (const std::uint32_t index : {0U, 1U, kInstancesMax / 2, kInstancesMax - 1}) {
    const auto members = choose_subset(all, {.size = 50, .index = index, .count = kInstancesMax});
    EXPECT_FALSE(members.empty());
    for (const SubsetMember& m : members) {
      EXPECT_GT(m.share, 0);
      EXPECT_LE(m.share, 1);
    }
  }
}

TEST(Subset, accept_T36_EveryEndpointIsUsedBySomebody) {
  for (std::uint32_t servers = 13; servers <= 120; servers += 7) {
    const std::uint32_t clients = (servers + 11) / 12;
    const std::vector<Endpoint> all = endpoints(servers);
    std::set<std::uint32_t> used;
    for (std::uint32_t index = 0; index < clients; ++index) {
      for (const SubsetMember& m :
           choose_subset(all, {.size = 12, .index = index, .count = clients})) {
        used.insert(m.endpoint);
      }
    }
    EXPECT_EQ(used.size(), servers);
  }
}

}  // namespace
}  // namespace evener
