#include <evener/retry_budget.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "base/rng.h"

namespace evener {
namespace {

Time at(double seconds) { return Time() + Duration::from_seconds(seconds); }

// Up to two further attempts per request, each of which fails with probability `failing`.
struct Client {
  explicit Client(const RetryBudgetSettings& settings) : budget(settings) {}

  bool request(Time now, double failing) {
    budget.request(now);
    ++requests;
    for (int attempt = 0;; ++attempt) {
      ++attempts;
      if (rng.uniform01() >= failing) return true;
      if (attempt == 2 || !budget.take(now)) return false;
    }
  }
  // Successes among the requests of a span of time.
  double run(double from, double until, double rps, double failing) {
    int good = 0;
    int all = 0;
    for (double t = from; t < until; t += 1 / rps, ++all) good += request(at(t), failing) ? 1 : 0;
    return static_cast<double>(good) / all;
  }

  RetryBudget budget;
  Rng rng{18};
  double requests = 0;
  double attempts = 0;
};

TEST(RetryBudget, RefusesSettingsOutOfRange) {
  EXPECT_TRUE(check_settings(RetryBudgetSettings{}));
  EXPECT_FALSE(check_settings(RetryBudgetSettings{.share = -0.1}));
  EXPECT_FALSE(check_settings(RetryBudgetSettings{.share = std::nan("")}));
  EXPECT_FALSE(check_settings(RetryBudgetSettings{.floor = 1e7}));
  EXPECT_FALSE(check_settings(RetryBudgetSettings{.window = Duration()}));
}

TEST(RetryBudget, case_F18_AFullOutageIsNotMultiplied) {
  Client client({});
  EXPECT_EQ(client.run(0, 30, 1000, 1), 0);
  EXPECT_LE(client.attempts, 1.2 * client.requests + 3);
  EXPECT_GE(client.attempts, 1.19 * client.requests) << "what is allowed is used";
  // The servers are back: everything succeeds, and a single failing one in four is retried away.
  EXPECT_EQ(client.run(30, 31, 1000, 0), 1);
  EXPECT_GT(client.run(31, 33, 1000, 0.1), 0.98);
}

TEST(RetryBudget, case_F18_SavingsOfTheLastWindowAreTheMostThatIsAdded) {
  Client client({});
  client.run(0, 3600, 1000, 0);
  client.requests = client.attempts = 0;
  client.run(3600, 3630, 1000, 1);
  EXPECT_LE(client.attempts, 1.2 * client.requests + 0.2 * 10 * 1000 + 3);
}

TEST(RetryBudget, AQuietPoolHasItsFloorEachSecond) {
  Client client({});
  EXPECT_EQ(client.run(0, 60, 1, 1), 0);
  EXPECT_EQ(client.attempts, 3 * client.requests) << "two retries a second are below the floor";
  RetryBudget budget({});
  int taken = 0;
  for (int i = 0; i < 10'000; ++i) taken += budget.take(at(i / 1000.0)) ? 1 : 0;
  EXPECT_NEAR(taken, 3 + 3 * 10, 1);
}

TEST(RetryBudget, TheFloorIsSharedByTheWorkers) {
  int taken = 0;
  for (int worker = 0; worker < 4; ++worker) {
    RetryBudget budget({.floor = 4}, 4);
    for (int i = 0; i < 10'000; ++i) taken += budget.take(at(i / 1000.0)) ? 1 : 0;
  }
  EXPECT_NEAR(taken, 4 + 4 * 10, 4);
}

TEST(RetryBudget, NothingAllowedMeansNothing) {
  RetryBudget budget({.share = 0, .floor = 0});
  for (int i = 0; i < 1000; ++i) {
    budget.request(at(i));
    EXPECT_FALSE(budget.take(at(i)));
  }
  EXPECT_EQ(budget.refused(), 1000U);
  EXPECT_EQ(budget.taken(), 0U);
}

TEST(RetryBudget, GivenBackIsTakenAgain) {
  RetryBudget budget({.share = 0.5, .floor = 0});
  budget.request(at(1));
  budget.request(at(1));
  ASSERT_TRUE(budget.take(at(1)));
  ASSERT_FALSE(budget.take(at(1)));
  budget.give_back();
  EXPECT_EQ(budget.available(at(1)), 1);
  EXPECT_TRUE(budget.take(at(1)));
  EXPECT_EQ(budget.taken(), 1U);
}

// Random bursts, pauses and jumps: the bound of the header holds at every moment, and looking
// changes nothing.
TEST(RetryBudget, TheBoundHoldsAtEveryMoment) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    const RetryBudgetSettings settings = {.share = rng.uniform01(), .floor = 4 * rng.uniform01()};
    RetryBudget budget(settings);
    std::deque<double> requests;
    double now = 0;
    double all_requests = 0;
    double taken = 0;
    for (int i = 0; i < 5000; ++i) {
      if (rng.below(10) == 0) now += rng.uniform01() * (rng.below(50) == 0 ? 30 : 0.3);
      if (rng.below(3) == 0) {
        budget.request(at(now));
        requests.push_back(now);
        ++all_requests;
      } else {
        const double available = budget.available(at(now));
        ASSERT_EQ(available, budget.available(at(now)));
        const bool granted = budget.take(at(now));
        ASSERT_EQ(granted, available >= 1);
        taken += granted ? 1 : 0;
      }
      while (!requests.empty() && requests.front() <= now - 10) requests.pop_front();
      const double most =
          settings.share * all_requests + std::max(settings.floor, 1.0) + settings.floor * now;
      ASSERT_LE(taken, most + 1e-3);
      const double savings = settings.share * static_cast<double>(requests.size());
      ASSERT_LE(budget.available(at(now)), std::max(savings, std::max(settings.floor, 1.0)) + 1e-3);
    }
    budget.available(at(now - 100));  // a clock going back
    EXPECT_EQ(budget.taken(), static_cast<std::uint64_t>(taken));
  }
}

}  // namespace
}  // namespace evener
