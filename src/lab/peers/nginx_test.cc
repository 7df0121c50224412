// nginx's rules: turns, failures, buckets.
#include <gmock/gmock.h>

#include "lab/peers/rule_test.h"

namespace evener::lab::peers {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

const sim::Answer kRefused = ended_as(Outcome::kConnectFailed);

TEST(PeerNginx, TurnsAreSmooth) {
  Driver driver("nginx_round_robin", {5, 1, 1});
  std::vector<std::uint32_t> seen;
  for (int i = 0; i < 7; ++i) seen.push_back(driver.peek());
  EXPECT_THAT(seen, ElementsAre(0, 0, 1, 0, 2, 0, 0));
}

TEST(PeerNginx, OneFailureIsTenSecondsAndThenOneRequest) {
  for (const auto* name : {"nginx_round_robin", "nginx_random_two", "nginx_least_time"}) {
    Driver driver(name, 3);
    driver.serve(0, ms(1), kRefused);
    EXPECT_EQ(driver.shares(300)[0], 0) << name;
    driver.advance(Duration::seconds(11));
    // One is let through, and while it is out nobody else.
    int through = 0;
    std::optional<sim::Choice> held;
    for (int i = 0; i < 300; ++i) {
      const auto choice = driver.choose();
      ASSERT_TRUE(choice);
      if (choice->server == 0) {
        ++through;
        held = choice;
      } else {
        driver.answer(*choice);
      }
    }
    ASSERT_EQ(through, 1) << name;
    driver.advance(ms(1));
    driver.answer(*held);
    EXPECT_GT(driver.shares(300)[0], 0.2) << name << ": a success clears it";
  }
}

TEST(PeerNginx, AllFailedIsNoUpstreamButASetOfOneIsExempt) {
  for (const auto* name : {"nginx_round_robin", "nginx_random_two", "nginx_least_time"}) {
    Driver driver(name, 2);
    const auto first = driver.put(0);
    driver.serve(1, ms(1), kRefused);
    driver.answer(first, kRefused);
    EXPECT_FALSE(driver.choose()) << name;
    Driver alone(name, 1);
    alone.serve(0, ms(1), kRefused);
    EXPECT_TRUE(alone.choose()) << name;
  }
}

TEST(PeerNginx, AnErrorIsAResponse) {
  Driver driver("nginx_round_robin", 2);
  driver.serve(0, ms(1), kFailed);
  driver.serve(0, ms(1), ended_as(Outcome::kOverloaded));
  EXPECT_NEAR(driver.shares(100)[0], 0.5, 0.02);
}

TEST(PeerNginx, RandomTwoIsDistinctAndPerWeight) {
  Driver ranks("nginx_random_two", 4);
  for (std::uint32_t s = 0; s < 4; ++s) ranks.put_many(s, static_cast<int>(2 * s));
  EXPECT_THAT(ranks.shares(40'000),
              ElementsAre(DoubleNear(6 / 12., .012), DoubleNear(4 / 12., .012),
                          DoubleNear(2 / 12., .012), 0));
  Driver weighted("nginx_random_two", {1, 3});
  weighted.put(0);
  weighted.put_many(1, 2);
  EXPECT_LT(weighted.shares(200)[0], 0.03) << "2 / 3 is less than 1";
  weighted.put_many(1, 2);
  EXPECT_LT(weighted.shares(200)[1], 0.03)
      << "4 / 3 is more than 1; 20 draws in vain, 0.3%, mean a turn";
}

TEST(PeerNginx, LeastTimeSeesStepsOf20Ms) {
  Driver same("nginx_least_time", 2);
  same.serve_together({ms(1), ms(19)});
  EXPECT_NEAR(same.shares(100)[0], 0.5, 0.02) << "1 ms and 19 ms are one bucket";
  Driver apart("nginx_least_time", 2);
  apart.serve_together({ms(19), ms(21)});
  EXPECT_EQ(apart.peek(), 0U);
  apart.put(0);
  apart.put(0);
  EXPECT_EQ(apart.peek(), 1U) << "3 x 1 bucket against 1 x 2";
}

TEST(PeerNginx, LeastTimeGainIsATwentiethPerSample) {
  Driver driver("nginx_least_time", 2);
  driver.serve_together({ms(10), ms(15)});
  driver.serve(0, ms(209));
  EXPECT_NEAR(driver.shares(100)[0], 0.5, 0.02) << "10 + 199 / 20 = 19.95: one bucket still";
  Driver more("nginx_least_time", 2);
  more.serve_together({ms(10), ms(15)});
  more.serve(0, ms(212));
  EXPECT_EQ(more.peek(), 1U) << "10 + 202 / 20 = 20.1";
}

TEST(PeerNginx, LeastTimeForgetsByHalvesAndCountsOnlyBeyond5S) {
  Driver driver("nginx_least_time", 2);
  driver.serve_together({ms(15), ms(30)});
  EXPECT_EQ(driver.shares(10)[1], 0);
  driver.advance(Duration::seconds(10));
  const auto choice = driver.choose();
  const auto other = driver.choose();
  EXPECT_NE(choice->server, other->server) << "15 ms: one bucket, so they take turns";
  Driver slow("nginx_least_time", 2);
  slow.serve_together({Duration::seconds(6), Duration::seconds(9)});
  slow.put(0);
  EXPECT_EQ(slow.peek(), 1U) << "both count as 5 s";
}

}  // namespace
}  // namespace evener::lab::peers
