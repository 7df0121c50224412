#include <evener/balancer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "balance/conformance.h"

namespace evener {
namespace {

Balancer make_balancer(std::span<const double> weights, std::uint64_t seed) {
  Balancer balancer({.policy = {.name = "round_robin"}, .seed = seed});
  std::vector<Endpoint> endpoints;
  for (const double weight : weights) {
    endpoints.push_back(conformance::make_endpoint(endpoints.size(), weight));
  }
  balancer.apply(EndpointSet::make(1, std::move(endpoints)).value(), Time());
  return balancer;
}

std::vector<std::size_t> take(Balancer& balancer, std::size_t count) {
  std::vector<std::size_t> picks;
  for (std::size_t i = 0; i < count; ++i) {
    Ticket ticket = balancer.pick({}).value();
    picks.push_back(static_cast<std::size_t>(ticket.id()));
    ticket.finish(Outcome::kSuccess, Time());
  }
  return picks;
}

std::size_t longest_run(std::span<const std::size_t> picks, std::size_t of) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const std::size_t pick : picks) {
    run = pick == of ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

TEST(RoundRobin, case_F04_CountsMatchWeightsAndRunsAreShort) {
  const std::vector<std::vector<double>> cases = {{50, 50, 1},  {11, 3},         {1, 1},
                                                  {3, 2, 1, 5}, {6, 1, 1, 1, 1}, {10, 1, 1}};
  for (const std::vector<double>& weights : cases) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      Balancer balancer = make_balancer(weights, seed);
      const auto cycle = static_cast<std::size_t>(sum);
      const std::vector<std::size_t> picks = take(balancer, std::max<std::size_t>(200, cycle));
      for (std::size_t i = 0; i < weights.size(); ++i) {
        EXPECT_EQ(std::count(picks.begin(), picks.begin() + static_cast<std::ptrdiff_t>(cycle), i),
                  static_cast<std::ptrdiff_t>(weights[i]));
        const double limit = std::ceil(weights[i] / (sum - weights[i])) + 1;
        EXPECT_LE(longest_run(picks, i), static_cast<std::size_t>(limit)) << "seed " << seed;
      }
    }
  }
}

TEST(RoundRobin, case_F04_EqualWeightsAlternateStrictly) {
  Balancer balancer = make_balancer(std::vector<double>{1, 1}, 3);
  const std::vector<std::size_t> picks = take(balancer, 200);
  for (std::size_t i = 1; i < picks.size(); ++i) EXPECT_NE(picks[i], picks[i - 1]);
  Balancer five = make_balancer(std::vector<double>(5, 2.5), 3);
  const std::vector<std::size_t> order = take(five, 50);
  for (std::size_t i = 5; i < order.size(); ++i) EXPECT_EQ(order[i], order[i - 5]);
}

TEST(RoundRobin, case_F06_WorkersStartAtDifferentEndpoints) {
  // With random starts, seven or more of sixteen on one come once in 200 runs.
  int bad = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    std::map<std::size_t, int> hits;
    for (std::uint64_t worker = 0; worker < 16; ++worker) {
      Balancer balancer = make_balancer(std::vector<double>(10, 1), 1000 * run + worker);
      ++hits[take(balancer, 1)[0]];
    }
    const auto most = std::ranges::max_element(hits, {}, [](const auto& h) { return h.second; });
    bad += most->second > 6 || hits.size() < 5 ? 1 : 0;
  }
  EXPECT_LE(bad, 8);
}

TEST(RoundRobin, case_F06_WorkersStartRoughlyInProportionToWeight) {
  double heavy = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Balancer balancer = make_balancer(std::vector<double>{6, 1, 1, 1, 1}, seed);
    heavy += take(balancer, 1)[0] == 0 ? 1 : 0;
  }
  EXPECT_NEAR(heavy / 4000, 0.6, 0.1);
}

TEST(RoundRobin, ARebuildKeepsTheRotationOfThoseThatStay) {
  Balancer balancer = make_balancer(std::vector<double>(6, 1), 5);
  std::vector<Endpoint> endpoints = conformance::make_endpoints(6);
  std::vector<std::size_t> picks = take(balancer, 3);
  balancer.apply(EndpointSet::make(2, endpoints).value(), Time());
  const std::vector<std::size_t> rest = take(balancer, 3);
  picks.insert(picks.end(), rest.begin(), rest.end());
  EXPECT_EQ(std::set<std::size_t>(picks.begin(), picks.end()).size(), 6U);

  endpoints.push_back(conformance::make_endpoint(6));
  balancer.apply(EndpointSet::make(3, endpoints).value(), Time());
  const std::vector<std::size_t> after = take(balancer, 700);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(static_cast<double>(std::ranges::count(after, i)), 100, 1);
  }
}

}  // namespace
}  // namespace evener
