// Trials of ejected endpoints.
#include <gtest/gtest.h>

#include <algorithm>

#include "balance/pool_test.h"
#include "balance/state/ejector.h"

namespace evener {
namespace {

// Ejects the endpoint and waits until a request may be its trial.
void make_half_open(Pool& pool, std::size_t endpoint) {
  pool.answer(endpoint, Outcome::kFailure, 5);
  pool.after(Duration::milliseconds(1));
  pool.after(Duration::seconds(31));
  ASSERT_FALSE(pool.status(endpoint).eligible);
}

TEST(Trials, ARefusedConnectIsAFailedTrial) {
  BalancerOptions options = with_ejection();
  options.pushback.refused = Duration();
  Pool pool(options, 4);
  make_half_open(pool, 2);
  Ticket trial = pool.pick().value();
  ASSERT_EQ(trial.id(), EndpointId{2});
  trial.finish(Outcome::kConnectFailed, pool.now);
  pool.after(Duration::seconds(2));
  EXPECT_EQ(pool.hits(200)[2], 0) << pool.status(2).reason;
}

TEST(Trials, NoRequestLooksThroughThoseThatCannotHaveOne) {
  Ejector ejector({.max_share = 1});
  Rng rng(1);
  ejector.resize(4);
  for (std::uint32_t slot = 0; slot < 4; ++slot) ejector.join(slot);
  const Time now = Time() + Duration::seconds(100);
  for (int i = 0; i < 5; ++i) {
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      ejector.finished(slot, now, Outcome::kFailure, Duration(), now);
    }
  }
  ejector.pass(now, Duration(), rng);
  ejector.leave(0);
  ejector.pass(now + Duration::seconds(31), Duration(), rng);
  ejector.leave(1);
  EXPECT_EQ(std::ranges::count(ejector.half_open(), 2U), 1);
  EXPECT_EQ(ejector.half_open().size(), 1U);
  ejector.join(0);
  ejector.join(1);
  EXPECT_EQ(ejector.half_open().size(), 3U);
}

}  // namespace
}  // namespace evener
