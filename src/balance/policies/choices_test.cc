// What the policies of choice promise beyond the conformance suite.
#include <gtest/gtest.h>

#include <algorithm>

#include "balance/traffic_test.h"

namespace evener {
namespace {

using conformance::chi_square;
using conformance::chi_square_bound;

std::uint64_t seed() { return conformance::seed_from_environment(); }

// Endpoints that hold as many requests as told, and nothing else.
class Loaded {
 public:
  Loaded(PolicySettings policy, const std::vector<std::uint32_t>& loads)
      : balancer_({.policy = std::move(policy), .seed = seed()}), n_(loads.size()) {
    balancer_.apply(EndpointSet::make(1, conformance::make_endpoints(n_)).value(), Time());
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::uint32_t k = 0; k < loads[i]; ++k) held_.push_back(pick_one(i));
    }
  }

  Balancer& balancer() { return balancer_; }

  std::vector<double> hits(int picks) {
    std::vector<double> out(n_);
    for (int i = 0; i < picks; ++i) {
      Ticket ticket = balancer_.pick({.now = Time(), .tried = {}, .key = {}}).value();
      out[static_cast<std::size_t>(ticket.id())] += 1;
      ticket.finish(Outcome::kRejected, Time());
    }
    return out;
  }

 private:
  Ticket pick_one(std::size_t wanted) {
    std::vector<EndpointId> tried;
    for (std::size_t i = 0; i < n_; ++i) {
      if (i != wanted) tried.push_back(EndpointId{i});
    }
    return balancer_.pick({.now = Time(), .tried = tried, .key = {}}).value();
  }

  Balancer balancer_;
  std::size_t n_;
  std::vector<Ticket> held_;
};

// Rank r of n with replacement: (2 (n - r) + 1) / n^2.
TEST(P2c, WithReplacementTheWorstGetsItsPart) {
  Loaded pool({.name = "p2c", .replacement = true}, {0, 1, 2, 3, 4});
  std::vector<double> expected;
  for (int rank = 1; rank <= 5; ++rank) expected.push_back(50'000.0 * (2 * (5 - rank) + 1) / 25);
  EXPECT_LT(chi_square(pool.hits(50'000), expected), chi_square_bound(4));
}

TEST(P2c, BetaMixesTheChoiceWithOneAtRandom) {
  Loaded pool({.name = "p2c", .beta = 0.25}, {0, 1, 2, 3, 4});
  std::vector<double> expected;
  for (int rank = 1; rank <= 5; ++rank) {
    expected.push_back(50'000 * (0.25 * 2 * (5 - rank) / 20 + 0.75 / 5));
  }
  EXPECT_LT(chi_square(pool.hits(50'000), expected), chi_square_bound(4));
}

TEST(GoLeft, OneOfEachHalfAndTheLeftOfEquals) {
  Loaded idle({.name = "go_left"}, {0, 0, 0, 0, 0, 0});
  const std::vector<double> hits = idle.hits(30'000);
  EXPECT_LT(chi_square(std::span(hits).first(3), std::vector<double>(3, 10'000)),
            chi_square_bound(2));
  EXPECT_EQ(hits[3] + hits[4] + hits[5], 0);
  Loaded left_busy({.name = "go_left"}, {1, 1, 0, 0});
  EXPECT_EQ(left_busy.hits(1000)[0], 0);
}

TEST(P2cMemory, AnIdleEndpointIsRememberedUntilItIsTaken) {
  // Endpoint 0 is the only one that is nearly idle: once drawn it is remembered, and wins always.
  Loaded pool({.name = "p2c_memory", .choices = 1}, {1, 5, 5, 5, 5, 5, 5, 5, 5, 5});
  EXPECT_GT(pool.hits(1000)[0], 900);
  Loaded without({.name = "p2c", .choices = 2}, {1, 5, 5, 5, 5, 5, 5, 5, 5, 5});
  EXPECT_LT(without.hits(1000)[0], 300);
}

TEST(P2cMemory, TheRememberedIsForgottenWhenItLeaves) {
  Loaded pool({.name = "p2c_memory", .choices = 1}, {1, 5, 5});
  pool.hits(100);
  std::vector<Endpoint> rest = conformance::make_endpoints(3);
  rest.erase(rest.begin());
  pool.balancer().apply(EndpointSet::make(2, rest).value(), Time());
  EXPECT_EQ(pool.hits(200)[0], 0);
}

TEST(IdleFirst, TheIdleShareEvenlyAndNobodyElseGetsAny) {
  Loaded pool({.name = "idle_first"}, {1, 0, 2, 0, 0, 1, 0});
  const std::vector<double> hits = pool.hits(40'000);
  std::vector<double> expected = {0, 10'000, 0, 10'000, 10'000, 0, 10'000};
  EXPECT_EQ(hits[0] + hits[2] + hits[5], 0);
  EXPECT_LT(chi_square(hits, expected), chi_square_bound(3));
}

TEST(IdleFirst, WithoutAnIdleOneItIsTwoChoices) {
  Loaded pool({.name = "idle_first"}, {1, 2, 3, 4, 5});
  std::vector<double> expected;
  for (int rank = 1; rank <= 5; ++rank) expected.push_back(50'000 * 2.0 * (5 - rank) / 20);
  EXPECT_LT(chi_square(pool.hits(50'000), expected), chi_square_bound(3));
}

TEST(PeakEwma, AllMeansTheLeastOfAll) {
  for (const std::uint32_t choices : {kChoicesAll, kChoicesAuto}) {
    std::vector<std::uint32_t> loads(32, 3);
    loads[0] = 4;
    Loaded pool({.choices = choices}, loads);
    EXPECT_EQ(pool.hits(1000)[0], 0);
  }
  Rng rng(seed());
  Traffic traffic(
      {.choices = kChoicesAll}, 40,
      [](std::size_t endpoint, double, Rng& luck) {
        return Answer{exponential(luck, 0.01 * (1 + static_cast<double>(endpoint) / 20))};
      },
      seed());
  for (int i = 0; i < 2000; ++i) {
    traffic.run(0.01, 2000);
    const std::vector<EndpointStatus> status = traffic.status();
    double least = 1e300;
    for (const EndpointStatus& s : status) least = std::min(least, s.cost);
    const Ticket ticket = traffic.balancer().pick({.now = traffic.now()}).value();
    const Explanation why = traffic.balancer().explain();
    const auto chosen = std::ranges::find(why.candidates, true, &Explanation::Candidate::chosen);
    ASSERT_NE(chosen, why.candidates.end());
    if (!chosen->note.empty()) continue;
    ASSERT_LE(chosen->cost, least * 1.01) << "EV_SEED=" << seed();
    ASSERT_GE(why.candidates.size(), 1U);
  }
}

TEST(PeakEwma, EqualsOfAllAreDrawnEvenly) {
  Loaded pool({.choices = kChoicesAll}, std::vector<std::uint32_t>(20, 0));
  EXPECT_LT(chi_square(pool.hits(40'000), std::vector<double>(20, 2000)), chi_square_bound(19));
}

// Half the endpoints ten times slower: two choices cannot keep away, more can.
TEST(PeakEwma, MoreChoicesKeepOffManySlowEndpoints) {
  const auto slow_share = [](std::uint32_t choices) {
    Traffic traffic(
        {.choices = choices}, 40,
        [](std::size_t endpoint, double, Rng& rng) {
          return Answer{exponential(rng, endpoint < 20 ? 0.1 : 0.01)};
        },
        seed());
    traffic.run(5, 1000);
    const std::vector<double> shares = traffic.run(10, 1000);
    double slow = 0;
    for (std::size_t i = 0; i < 20; ++i) slow += shares[i];
    return slow;
  };
  EXPECT_GT(slow_share(2), 0.2) << "a quarter of the pairs are slow";
  EXPECT_LT(slow_share(8), 0.05);
  EXPECT_LT(slow_share(kChoicesAuto), 0.05);
  EXPECT_LT(slow_share(kChoicesAll), 0.05);
}

TEST(Lsq, EstimatesGrowWithPicksAndComeBackByRefreshAlone) {
  Loaded pool({.name = "lsq"}, std::vector<std::uint32_t>(10, 0));
  const std::vector<double> hits = pool.hits(20'000);
  for (const double hit : hits) EXPECT_NEAR(hit, 2000, 200);
}

TEST(Prequal, AFastFailingEndpointGainsNoShare) {
  for (const std::size_t n : {4U, 12U, 60U}) {
    Traffic traffic(
        {.name = "prequal"}, n,
        [](std::size_t endpoint, double, Rng& rng) {
          return endpoint == 0 ? Answer{0.0001, Outcome::kFailure} : Answer{exponential(rng, 0.02)};
        },
        seed());
    traffic.run(5, 1000);
    EXPECT_LT(traffic.run(30, 1000)[0], 0.3 / static_cast<double>(n)) << n;
  }
}

TEST(Prequal, SlowEndpointsGetLessAndRecover) {
  for (const std::size_t n : {6U, 16U, 60U}) {
    Traffic traffic(
        {.name = "prequal"}, n,
        [](std::size_t endpoint, double now, Rng& rng) {
          const bool slow = endpoint == 0 && now < 30;
          return Answer{exponential(rng, slow ? 0.5 : 0.02)};
        },
        seed());
    traffic.run(5, 1000);
    EXPECT_LT(traffic.run(25, 1000)[0], 0.3 / static_cast<double>(n)) << n;
    traffic.run(60, 1000);
    // The estimate goes back to the median, which is not the least: it is no favourite.
    EXPECT_GT(traffic.run(30, 1000)[0], 0.2 / static_cast<double>(n)) << n;
  }
}

}  // namespace
}  // namespace evener
