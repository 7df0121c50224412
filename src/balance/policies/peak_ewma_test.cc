#include <gtest/gtest.h>

#include <algorithm>

#include "balance/traffic_test.h"

namespace evener {
namespace {

constexpr double kHour = 3600;

std::uint64_t seed() { return conformance::seed_from_environment(); }

Time at_ms(std::int64_t ms) { return Time() + Duration::milliseconds(ms); }

// Endpoint 0 takes `factor` times as long as the others' mean from `since` on.
Traffic::Server slow_first(double mean, double factor, double since = 0) {
  return [mean, factor, since](std::size_t endpoint, double now, Rng& rng) {
    const bool slow = endpoint == 0 && now >= since;
    return Answer{exponential(rng, slow ? mean * factor : mean)};
  };
}

TEST(PeakEwma, OneOfSixFiftyTimesSlowerFallsUnderThreePercentWithinASecond) {
  for (std::uint64_t s = seed(); s < seed() + 5; ++s) {
    Traffic fresh({}, 6, slow_first(0.002, 50), s);
    EXPECT_LT(fresh.run(1, 500)[0], 0.03) << "from the start, EV_SEED=" << s;

    Traffic warm({}, 6, slow_first(0.002, 50, 20), s);
    warm.run(20, 500);
    EXPECT_LT(warm.run(1, 500)[0], 0.03) << "while it degrades, EV_SEED=" << s;
    EXPECT_LT(warm.run(10, 500)[0], 0.005) << "after a second, EV_SEED=" << s;
  }
}

TEST(PeakEwma, AFastFailingEndpointGainsNoShare) {
  for (const double failing : {0.3, 1.0}) {
    Traffic traffic(
        {}, 6,
        [&](std::size_t endpoint, double, Rng& rng) {
          const bool fails = endpoint == 0 && rng.uniform01() < failing;
          return fails ? Answer{0.0001, Outcome::kFailure} : Answer{exponential(rng, 0.02)};
        },
        seed());
    traffic.run(1, 500);
    EXPECT_LT(traffic.run(60, 500)[0], 1.0 / 6) << failing;
  }
}

TEST(PeakEwma, AnEndpointWithALongGoodRecordIsLeftAfterAFewFailuresInARow) {
  for (std::uint64_t s = seed(); s < seed() + 5; ++s) {
    Traffic traffic(
        {}, 6,
        [](std::size_t endpoint, double now, Rng& rng) {
          const bool fails = endpoint == 0 && now >= 15;
          return fails ? Answer{0.0001, Outcome::kFailure} : Answer{exponential(rng, 0.005)};
        },
        s);
    traffic.run(15, 500);
    // Some 1,250 successes in its windows must not hide that it only fails now: of 1,000 requests
    // it gets those that notice it, and those that look again.
    EXPECT_LT(traffic.run(2, 500)[0] * 1000, 12) << "EV_SEED=" << s;
    EXPECT_LT(traffic.run(10, 500)[0], 0.002) << "EV_SEED=" << s;
  }
}

TEST(PeakEwma, accept_T13_UnprobedEndpointHasOneRequestUntilItsFirstAnswer) {
  // Endpoint 0 joins after a second and takes two seconds for its first answer.
  Traffic traffic(
      {}, 4,
      [](std::size_t endpoint, double now, Rng&) {
        return Answer{endpoint == 0 && now < 3 ? 2.0 : 0.005};
      },
      seed());
  std::vector<Endpoint> known = conformance::make_endpoints(4);
  known.erase(known.begin());
  traffic.balancer().apply(EndpointSet::make(2, known).value(), Time());
  traffic.run(1, 500);
  traffic.balancer().apply(EndpointSet::make(3, conformance::make_endpoints(4)).value(),
                           traffic.now());
  for (int i = 0; i < 190; ++i) {
    traffic.run(0.01, 500);
    EXPECT_LE(traffic.status()[0].in_flight, 1U);
  }
  EXPECT_EQ(traffic.status()[0].picks, 1U);
  // It joins as its one slow answer fades: equal to the others, which are idle mostly, after
  // tau x ln(128 x 2 s / 5 ms), here 108 s.
  traffic.run(110, 200);
  EXPECT_GT(traffic.run(20, 200)[0], 0.1);
}

TEST(PeakEwma, accept_T14_SlowEndpointsGetLessAndAreLookedAtAgain) {
  for (const auto& [factor, share] : {std::pair(2.0, 0.6), std::pair(10.0, 0.1)}) {
    Traffic traffic({}, 6, slow_first(0.02, factor), seed());
    traffic.run(5, 500);
    const std::vector<double> shares = traffic.run(60, 500);
    EXPECT_LT(shares[0], share / 6) << factor;
    EXPECT_GE(shares[0] * 500 * 60, 60 / 10.0) << "at least once in ten seconds, " << factor;
  }
}

TEST(PeakEwma, accept_T15_HungEndpointIsShedByTheAgeOfItsRequests) {
  // 100 rps over 4 endpoints of 20 ms: half a request each. Endpoint 0 hangs at 10 s.
  Traffic traffic(
      {}, 4,
      [](std::size_t endpoint, double now, Rng&) {
        return Answer{endpoint == 0 && now > 10 ? 1000.0 : 0.02};
      },
      seed());
  traffic.run(10, 100);
  traffic.run(0.06, 100);  // three mean latencies
  EXPECT_LE(traffic.status()[0].in_flight, 3U);
  traffic.run(20, 100);
  EXPECT_LE(traffic.status()[0].in_flight, 4U);
}

TEST(PeakEwma, accept_T17_FromMicrosecondsToHours) {
  for (const double mean : {5e-6, 1e-3, 2 * kHour}) {
    Traffic traffic({}, 3, slow_first(mean, 10), seed());
    const double rate = 3 / mean;
    traffic.run(300 * mean, rate);
    EXPECT_LT(traffic.run(300 * mean, rate)[0], 0.15) << mean;
  }
}

TEST(PeakEwma, accept_T18_TenTimesTheRateDoesNotDoubleTheScore) {
  const auto mean_latency = [](Estimator estimator, double rate) {
    PolicySettings settings;
    settings.estimator = estimator;
    Traffic traffic(settings, 2, slow_first(0.01, 1), seed());
    traffic.run(30, rate);
    double sum = 0;
    for (int i = 0; i < 100; ++i) {
      traffic.run(1, rate);
      sum += traffic.status()[0].latency.to_seconds();
    }
    return sum / 100;
  };
  double last = mean_latency(Estimator::kMean, 1);
  for (const double rate : {10.0, 100.0}) {
    const double next = mean_latency(Estimator::kMean, rate);
    EXPECT_LT(next / last, 2) << rate;
    EXPECT_GT(next / last, 0.5) << rate;
    last = next;
  }
  EXPECT_GT(mean_latency(Estimator::kPeak, 100) / mean_latency(Estimator::kPeak, 1), 1.5);
}

TEST(PeakEwma, accept_T24b_BackgroundErrorsDoNotDrownLatency) {
  Traffic traffic(
      {}, 6,
      [](std::size_t endpoint, double, Rng& rng) {
        const bool fails = rng.uniform01() < 0.001;
        return Answer{endpoint == 0 ? 0.06 : 0.02, fails ? Outcome::kFailure : Outcome::kSuccess};
      },
      seed());
  traffic.run(5, 600);
  EXPECT_LT(traffic.run(60, 600)[0], 0.6 / 6);
}

TEST(PeakEwma, TheFailureFactorIsBoundedAndForgotten) {
  Balancer balancer({});
  balancer.apply(EndpointSet::make(1, conformance::make_endpoints(1)).value(), Time());
  std::vector<EndpointStatus> status;
  const auto request = [&](std::int64_t ms, Outcome outcome) {
    balancer.pick({.now = at_ms(ms)}).value().finish(outcome, at_ms(ms + 1));
    balancer.snapshot(at_ms(ms + 1), status);
    return status[0].cost;
  };
  const double healthy = request(0, Outcome::kSuccess);
  EXPECT_NEAR(request(10, Outcome::kFailure) / healthy, 25.0 / 9, 0.01);  // (1.5 / 2.5) squared
  double worst = 0;
  for (int i = 0; i < 100'000; ++i) worst = std::max(worst, request(20, Outcome::kFailure));
  EXPECT_LE(worst / healthy, 1025);
  EXPECT_NEAR(request(40'000, Outcome::kSuccess) / healthy, 1, 0.01);
}

TEST(PeakEwma, AFailureNeverLowersTheEstimateAndACancelledRequestOnlyRaisesIt) {
  Balancer balancer({});
  balancer.apply(EndpointSet::make(1, conformance::make_endpoints(1)).value(), Time());
  std::vector<EndpointStatus> status;
  const auto request = [&](std::int64_t from_ms, std::int64_t took_ms, Outcome outcome) {
    const Time end = at_ms(from_ms + took_ms);
    balancer.pick({.now = at_ms(from_ms)}).value().finish(outcome, end);
    balancer.snapshot(end, status);
    return status[0].latency;
  };
  balancer.tick(at_ms(0));
  EXPECT_EQ(request(0, 100, Outcome::kSuccess), Duration::milliseconds(100));
  EXPECT_EQ(request(5000, 1, Outcome::kFailure), Duration::milliseconds(100));
  EXPECT_EQ(request(6000, 1, Outcome::kCancelled), Duration::milliseconds(100));
  EXPECT_EQ(request(6000, 9000, Outcome::kRejected), Duration::milliseconds(100));
  EXPECT_GT(request(20'000, 500, Outcome::kCancelled), Duration::milliseconds(200));
  const Duration high = request(30'000, 500, Outcome::kFailure);
  EXPECT_GT(high, Duration::milliseconds(300));
  EXPECT_LT(request(50'000, 50, Outcome::kSuccess), high);
}

TEST(PeakEwma, AnIdleEndpointsEstimateReturnsToThePoolsMedianAndNoFurther) {
  Balancer balancer({});
  balancer.apply(EndpointSet::make(1, conformance::make_endpoints(3)).value(), Time());
  const auto request = [&](std::uint64_t id, std::int64_t took_ms) {
    std::vector<EndpointId> others;
    for (std::uint64_t i = 0; i < 3; ++i) {
      if (i != id) others.push_back(EndpointId{i});
    }
    balancer.pick({.now = at_ms(0), .tried = others})
        .value()
        .finish(Outcome::kSuccess, at_ms(took_ms));
  };
  request(0, 1000);
  request(1, 10);
  request(2, 20);
  balancer.tick(at_ms(1000));
  std::vector<EndpointStatus> status;
  balancer.snapshot(at_ms(11'000), status);
  EXPECT_NEAR(status[0].latency.to_seconds(), 0.02 + 0.98 * std::exp(-1.0), 1e-3);
  balancer.snapshot(at_ms(10'000'000), status);
  EXPECT_NEAR(status[0].latency.to_seconds(), 0.02, 1e-6);
  EXPECT_NEAR(status[1].latency.to_seconds(), 0.01, 1e-9);
}

TEST(PeakEwma, AForgottenLoserIsProbedAndTheExplanationSaysSo) {
  Traffic traffic({}, 2, slow_first(0.001, 100), seed());
  traffic.run(30, 100);
  int probes = 0;
  for (int i = 0; i < 2000; ++i) {
    traffic.run(0.005, 100);
    for (const Explanation::Candidate& c : traffic.balancer().explain().candidates) {
      probes += c.note == "probe" ? 1 : 0;
      if (c.note == "probe") EXPECT_EQ(c.id, EndpointId{0});
    }
  }
  EXPECT_GE(probes, 1);
  EXPECT_LE(probes, 20);
}

TEST(PeakEwma, ALongBodyIsNotALongLatency) {
  Balancer balancer({});
  balancer.apply(EndpointSet::make(1, conformance::make_endpoints(1)).value(), Time());
  Ticket ticket = balancer.pick({.now = at_ms(0)}).value();
  ticket.first_byte(at_ms(5));
  ticket.first_byte(at_ms(4000));
  std::vector<EndpointStatus> status;
  balancer.snapshot(at_ms(60'000), status);
  EXPECT_EQ(status[0].in_flight, 1U);
  EXPECT_EQ(status[0].latency, PolicySettings().prior);  // unknown yet, and not ageing
  ticket.finish(Outcome::kSuccess, at_ms(60'000));
  balancer.snapshot(at_ms(60'000), status);
  EXPECT_EQ(status[0].latency, Duration::milliseconds(5));
}

}  // namespace
}  // namespace evener
