// Decisions, shadow, batches, and saved state, through a real Balancer.
#include <evener/balancer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "balance/conformance.h"

namespace evener {
namespace {

using conformance::make_endpoints;
using conformance::seed_from_environment;

EndpointSetPtr set_of(std::size_t n, std::uint64_t version = 1) {
  return EndpointSet::make(version, make_endpoints(n)).value();
}

std::vector<EndpointStatus> status(const Balancer& balancer, Time now) {
  std::vector<EndpointStatus> out;
  balancer.snapshot(now, out);
  return out;
}

TEST(Decisions, TheRingHoldsTheLastOnes) {
  Balancer balancer({.decisions = {.entries = 4, .every = 3}});
  balancer.apply(set_of(5), Time());
  std::map<std::uint64_t, EndpointId> taken;
  for (std::uint64_t i = 1; i <= 31; ++i) {
    Ticket ticket = balancer.pick({.now = Time::from_ns(static_cast<std::int64_t>(i))}).value();
    taken[i] = ticket.id();
  }
  const std::vector<Explanation> all = balancer.decisions(100);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(balancer.decisions(2).size(), 2U);
  std::uint64_t expected = 31;
  for (const Explanation& decision : all) {
    EXPECT_EQ(decision.sequence, expected);
    EXPECT_EQ(decision.at.ns(), static_cast<std::int64_t>(expected));
    EXPECT_EQ(decision.policy, "peak_ewma");
    ASSERT_GE(decision.candidates.size(), 2U);
    ASSERT_LE(decision.candidates.size(), 3U);
    for (const Explanation::Candidate& candidate : decision.candidates) {
      EXPECT_EQ(candidate.chosen, candidate.id == taken[expected]);
      EXPECT_GT(candidate.cost, 0);
    }
    expected -= 3;
  }
}

TEST(Decisions, OldOnesTellWhoWasMeant) {
  Balancer balancer({.decisions = {.entries = 4, .every = 1}});
  balancer.apply(set_of(2), Time());
  (void)balancer.pick({.now = Time()}).value();
  // Slots 0 and 1 belong to others now.
  std::vector<Endpoint> others = {conformance::make_endpoint(7), conformance::make_endpoint(8)};
  balancer.apply(EndpointSet::make(2, others).value(), Time());
  const std::vector<Explanation> all = balancer.decisions(1);
  ASSERT_EQ(all.size(), 1U);
  for (const Explanation::Candidate& candidate : all[0].candidates) {
    EXPECT_LT(static_cast<std::uint64_t>(candidate.id), 2U);
    EXPECT_EQ(candidate.name, "id " + std::to_string(static_cast<std::uint64_t>(candidate.id)));
  }
}

TEST(Decisions, TellWhoWasExcludedAndWhy) {
  Balancer balancer({.max_in_flight = 1, .decisions = {.entries = 8, .every = 1}});
  balancer.apply(set_of(4), Time());
  Ticket full = balancer.pick({.now = Time()}).value();
  Ticket asked = balancer.pick({.now = Time()}).value();
  const EndpointId left_alone = asked.id();
  asked.finish(Outcome::kOverloaded, Time(), Duration::seconds(3));
  Ticket third = balancer.pick({.now = Time()}).value();
  const Explanation last = balancer.decisions(1).at(0);
  std::map<EndpointId, std::string> reasons;
  for (const Explanation::Excluded& excluded : last.excluded)
    reasons[excluded.id] = excluded.reason;
  EXPECT_EQ(reasons[full.id()], "full");
  EXPECT_EQ(reasons[left_alone], "left alone");
}

TEST(Shadow, SeesEveryPickAndChangesNone) {
  PolicySettings random;
  random.name = "random";
  Balancer plain({.seed = 5});
  Balancer watched({.seed = 5, .shadow = random});
  plain.apply(set_of(6), Time());
  watched.apply(set_of(6), Time());
  Rng rng(seed_from_environment());
  std::vector<Ticket> out_a;
  std::vector<Ticket> out_b;
  for (int i = 0; i < 5000; ++i) {
    const Time now = Time::from_ns(i * 1'000'000LL);
    out_a.push_back(plain.pick({.now = now}).value());
    out_b.push_back(watched.pick({.now = now}).value());
    ASSERT_EQ(out_a.back().id(), out_b.back().id());
    if (out_a.size() < 8) continue;
    const std::size_t which = rng.below(out_a.size());
    out_a[which].finish(Outcome::kSuccess, now);
    out_b[which].finish(Outcome::kSuccess, now);
    out_a.erase(out_a.begin() + static_cast<std::ptrdiff_t>(which));
    out_b.erase(out_b.begin() + static_cast<std::ptrdiff_t>(which));
  }
  EXPECT_EQ(plain.shadow().policy, "");
  const ShadowReport report = watched.shadow();
  EXPECT_EQ(report.policy, "random");
  EXPECT_EQ(report.picks, 5000U);
  EXPECT_NEAR(static_cast<double>(report.differs), 5000 * 5.0 / 6, 300);
  EXPECT_GT(report.load_ratio, 1.1) << "random goes to busier endpoints";
}

TEST(Shadow, OfTheSamePolicyOnOneEndpointNeverDiffers) {
  PolicySettings least;
  least.name = "least_request";
  Balancer balancer({.policy = least, .shadow = least});
  balancer.apply(set_of(2), Time());
  Ticket one = balancer.pick({.now = Time()}).value();
  for (int i = 0; i < 100; ++i) {
    balancer.pick({.now = Time()}).value().finish(Outcome::kSuccess, Time());
  }
  EXPECT_EQ(balancer.shadow().picks, 101U);
  EXPECT_LE(balancer.shadow().differs, 1U) << "only the first was a tie";
}

TEST(Batch, PlacesOnTheLeastLoadedAndCountsItsOwn) {
  for (const char* const policy : {"p2c", "peak_ewma", "least_request"}) {
    PolicySettings settings;
    settings.name = policy;
    Balancer balancer({.policy = settings, .seed = seed_from_environment()});
    balancer.apply(set_of(10), Time());
    std::vector<Ticket> tickets(30);
    ASSERT_EQ(balancer.pick_batch({.now = Time()}, 10, tickets).value(), 30U);
    for (const EndpointStatus& s : status(balancer, Time())) {
      if (std::string_view(policy) != "peak_ewma") {
        EXPECT_EQ(s.in_flight, 3U) << policy;
      }
      EXPECT_LE(s.in_flight, 4U) << policy;
    }
    EXPECT_EQ(balancer.in_flight(), 30U);
  }
}

// Sparrow section 3.3: 2 m probes for m tasks beat m times two choices.
TEST(Batch, BeatsOneByOneAtTheSameNumberOfProbes) {
  PolicySettings settings;
  settings.name = "p2c";
  double batch_most = 0;
  double single_most = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Balancer batch({.policy = settings, .seed = seed});
    Balancer single({.policy = settings, .seed = seed});
    batch.apply(set_of(200), Time());
    single.apply(set_of(200), Time());
    std::vector<std::vector<Ticket>> held;
    std::vector<Ticket> singles;
    for (int job = 0; job < 20; ++job) {
      held.emplace_back(10);
      ASSERT_EQ(batch.pick_batch({.now = Time()}, 2, held.back()).value(), 10U);
      for (int i = 0; i < 10; ++i) singles.push_back(single.pick({.now = Time()}).value());
    }
    std::uint32_t most = 0;
    for (const EndpointStatus& s : status(batch, Time())) most = std::max(most, s.in_flight);
    batch_most += most;
    most = 0;
    for (const EndpointStatus& s : status(single, Time())) most = std::max(most, s.in_flight);
    single_most += most;
  }
  EXPECT_LT(batch_most, single_most);
}

TEST(Batch, HonoursTriedAndLimits) {
  Balancer balancer({.max_in_flight = 2});
  balancer.apply(set_of(5), Time());
  const std::vector<EndpointId> tried = {EndpointId{0}, EndpointId{3}};
  std::vector<Ticket> tickets(20);
  EXPECT_EQ(balancer.pick_batch({.now = Time(), .tried = tried}, 5, tickets).value(), 6U);
  for (const EndpointStatus& s : status(balancer, Time())) {
    const bool was_tried = s.id == EndpointId{0} || s.id == EndpointId{3};
    EXPECT_EQ(s.in_flight, was_tried ? 0U : 2U);
  }
  EXPECT_EQ(balancer.pick_batch({.now = Time(), .tried = tried}, 5, tickets).error(),
            PickError::kAllBusy);
  EXPECT_EQ(balancer.pick_batch({.now = Time()}, 5, {}).value(), 0U);
}

TEST(Batch, FindsTheUntriedAmongManyTried) {
  std::vector<EndpointId> tried;
  for (std::uint64_t i = 0; i < 9; ++i) tried.push_back(EndpointId{i});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Balancer balancer({.seed = seed});
    balancer.apply(set_of(10), Time());
    std::vector<Ticket> tickets(3);
    ASSERT_EQ(balancer.pick_batch({.now = Time(), .tried = tried}, 1, tickets).value(), 3U);
    for (const Ticket& ticket : tickets) EXPECT_EQ(ticket.id(), EndpointId{9});
  }
}

TEST(Batch, IsPlacedInPanicToo) {
  std::vector<Endpoint> endpoints = conformance::make_endpoints(4);
  for (Endpoint& endpoint : endpoints) endpoint.up = false;
  Balancer balancer({.max_in_flight = 2, .panic = Panic::kAll});
  balancer.apply(EndpointSet::make(1, endpoints).value(), Time());
  std::vector<Ticket> tickets(10);
  EXPECT_EQ(balancer.pick_batch({.now = Time()}, 2, tickets).value(), 8U);
}

BalancerOptions everything() {
  BalancerOptions options;
  options.ejection.enabled = true;
  options.warm_up.window = Duration::seconds(30);
  return options;
}

TEST(Saved, AnotherProcessGoesOn) {
  Balancer before(everything());
  Time now = Time() + Duration::seconds(500);
  before.apply(set_of(4), now);
  const auto answer = [&](std::size_t endpoint, Outcome outcome, Duration latency) {
    std::vector<EndpointId> tried;
    for (std::uint64_t i = 0; i < 4; ++i) {
      if (i != endpoint) tried.push_back(EndpointId{i});
    }
    Ticket ticket = before.pick({.now = now, .tried = tried}).value();
    now = now + latency;
    ticket.finish(outcome, now);
  };
  for (int i = 0; i < 50; ++i) {
    answer(0, Outcome::kSuccess, Duration::milliseconds(3));
    answer(1, Outcome::kSuccess, Duration::milliseconds(90));
    if (i % 4 == 0) answer(3, Outcome::kFailure, Duration::milliseconds(1));
    answer(3, Outcome::kSuccess, Duration::milliseconds(3));
  }
  for (int i = 0; i < 5; ++i) answer(2, Outcome::kFailure, Duration::milliseconds(1));
  before.tick(now);
  const std::string blob = before.save(now);

  // Another clock, another order, one endpoint more.
  Balancer after(everything());
  const Time later = Time() + Duration::seconds(3);
  std::vector<Endpoint> endpoints = make_endpoints(5);
  std::swap(endpoints[0], endpoints[3]);
  after.apply(EndpointSet::make(9, endpoints).value(), later);
  ASSERT_TRUE(after.restore(blob, later));
  const auto old_status = status(before, now);
  const auto new_status = status(after, later);
  for (const EndpointStatus& old : old_status) {
    const auto found = std::ranges::find(new_status, old.id, &EndpointStatus::id);
    ASSERT_NE(found, new_status.end());
    EXPECT_NEAR(found->latency.to_seconds(), old.latency.to_seconds(),
                0.02 * old.latency.to_seconds())
        << old.name;
    EXPECT_NEAR(found->success, old.success, 1e-6) << old.name;
    EXPECT_EQ(found->eligible, old.eligible) << old.name;
    EXPECT_EQ(found->successes, old.successes);
    EXPECT_EQ(found->failures, old.failures);
    EXPECT_NEAR(found->warmup, old.warmup, 1e-3);
  }
  const auto ejected = std::ranges::find(new_status, EndpointId{2}, &EndpointStatus::id);
  EXPECT_NE(ejected->reason.find("5 failures"), std::string::npos) << ejected->reason;
}

TEST(Saved, DamageIsRefusedAndChangesNothing) {
  Balancer before(everything());
  before.apply(set_of(3), Time());
  for (int i = 0; i < 9; ++i) {
    Ticket ticket = before.pick({.now = Time()}).value();
    ticket.finish(Outcome::kSuccess, Time() + Duration::milliseconds(i));
  }
  const std::string blob = before.save(Time() + Duration::seconds(1));
  Rng rng(seed_from_environment());
  for (int i = 0; i < 2000; ++i) {
    std::string bad = blob;
    if (i % 3 == 0) {
      bad.resize(rng.below(bad.size()));
    } else if (i % 3 == 1) {
      bad[rng.below(bad.size())] ^= static_cast<char>(1U << rng.below(8));
    } else {
      bad.insert(rng.below(bad.size()), std::string(1 + rng.below(300), 'x'));
    }
    Balancer after(everything());
    after.apply(set_of(3), Time());
    const auto result = after.restore(bad, Time());
    ASSERT_FALSE(result.has_value()) << "round " << i;
    EXPECT_NE(result.error().message.find("saved balancer state"), std::string::npos);
    for (const EndpointStatus& s : status(after, Time())) EXPECT_EQ(s.picks, 0U);
  }
}

}  // namespace
}  // namespace evener
