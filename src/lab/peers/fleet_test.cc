// All rules: what every chooser must hold, by hand and in fleets where everything goes wrong.
#include "sim/fleet.h"

#include <fmt/format.h>

#include <set>

#include "lab/peers/rule_test.h"

namespace evener::lab::peers {
namespace {

using sim::FleetOptions;

TEST(Peers, AreFoundByName) {
  std::set<std::string_view> names;
  for (const PeerRule& rule : peer_rules()) {
    EXPECT_EQ(find_peer(rule.name), &rule);
    EXPECT_TRUE(names.insert(rule.name).second);
    EXPECT_FALSE(rule.summary.empty() || rule.source.empty()) << rule.name;
  }
  EXPECT_EQ(find_peer("least"), nullptr);
}

TEST(Peers, NeverChooseATriedOneAndNothingWhenAllAre) {
  for (const PeerRule& rule : peer_rules()) {
    SCOPED_TRACE(rule.name);
    Driver driver(rule.name, {1, 2, 3, 1});
    for (int i = 0; i < 200; ++i) {
      const std::uint32_t server = driver.peek({0, 3});
      EXPECT_TRUE(server == 1 || server == 2);
    }
    EXPECT_FALSE(driver.choose({2, 0, 1, 3}));
    driver.set({});
    EXPECT_FALSE(driver.choose());
  }
}

TEST(Peers, ChoicesStayOutWhenTheSetChanges) {
  for (const PeerRule& rule : peer_rules()) {
    SCOPED_TRACE(rule.name);
    Driver driver(rule.name, 4);
    const auto early = driver.put(1);
    driver.set({0, 2});
    for (int i = 0; i < 50; ++i) EXPECT_NE(driver.peek(), 1U);
    driver.set({1, 2, 3});
    const auto late = driver.put(1);
    for (int i = 0; i < 50; ++i) EXPECT_NE(driver.peek(), 0U);
    EXPECT_EQ(driver.chooser().in_flight(), 2U);
    driver.advance(ms(10));
    driver.answer(late);
    driver.answer(early);
    EXPECT_EQ(driver.chooser().in_flight(), 0U);
    driver.set({0, 1});
    std::set<std::uint32_t> seen;
    for (int i = 0; i < 50; ++i) seen.insert(driver.choose()->server);
    EXPECT_LE(*seen.rbegin(), 1U);
  }
}

TEST(Peers, AServerThatComesBackHasNoPast) {
  for (const bool held : {false, true}) {
    Driver driver("brpc_p2c", 2);
    driver.serve(0, ms(1));
    driver.serve(1, ms(100));
    EXPECT_EQ(driver.peek(), 0U);
    std::optional<sim::Choice> out;
    if (held) out = driver.put(1);
    driver.set({0});
    driver.set({0, 1});
    EXPECT_EQ(driver.choose()->server, 1U) << "a newcomer counts 1 us";
    driver.advance(ms(500));
    if (out) driver.answer(*out);
    EXPECT_EQ(driver.peek(), 1U) << "the late answer is the old one's";
  }
}

FleetOptions wild(const PeerRule& rule, std::uint64_t seed) {
  FleetOptions options;
  options.seed = seed;
  options.servers = {{.count = 6}, {.count = 4, .spec = {.speed = 2}, .weight = 2}};
  options.servers[0].spec.limit = 20;
  options.servers[1].cold = Duration::milliseconds(500);
  if (seed % 2 == 0) options.servers[1].weight = 1;
  options.chooser = rule.make();
  options.balancers = 3;
  options.tick_every = Duration::milliseconds(50);
  options.arrivals = sim::Arrivals::poisson(500);
  options.work = sim::Distribution::exponential(0.01);
  options.delay_out = sim::Distribution::exponential(0.002);
  options.delay_back = sim::Distribution::constant(0.001);
  options.timeout = Duration::milliseconds(200);
  options.retry = {.attempts = 3, .unlimited = seed % 3 == 0};
  options.reports = true;
  options.calls = 10'000;
  options.rollouts = {{.at_s = 2, .join = true, .servers = {9, 8}, .notice_s = 0.1},
                      {.at_s = 3, .servers = {0, 1, 2}, .apart_s = 0.3},
                      {.at_s = 5, .join = true, .servers = {7}}};
  for (int kind = 0; kind < 8; ++kind) {
    sim::Fault fault{.kind = static_cast<sim::FaultKind>(kind),
                     .servers = {static_cast<std::uint32_t>(kind),
                                 static_cast<std::uint32_t>((kind * 3 + 1) % 10)},
                     .at_s = 0.5 * kind,
                     .until_s = 30,
                     .value = 0.5,
                     .gap_s = sim::Distribution::exponential(1),
                     .length_s = sim::Distribution::exponential(0.5)};
    fault.retry_after = Duration::milliseconds(100);
    options.faults.push_back(std::move(fault));
  }
  return options;
}

std::string bytes(const sim::FleetResult& r) {
  std::string out = fmt::format("{} {} {} {} {}", r.attempts, r.events, r.times.mean_s(),
                                r.times.quantile_s(0.99), r.until_s);
  for (const auto end : r.ends) out += fmt::format(" {}", end);
  for (const auto p : r.picks) out += fmt::format(" {}", p);
  return out;
}

TEST(Peers, SurviveFleetsWhereEverythingGoesWrong) {
  for (const PeerRule& rule : peer_rules()) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(fmt::format("{} seed {}", rule.name, seed));
      const FleetOptions options = wild(rule, seed);
      const auto result = sim::run_fleet(options);  // checks the counts at its end
      ASSERT_TRUE(result.has_value()) << result.error().message;
      EXPECT_EQ(result->started, options.calls);
      EXPECT_EQ(result->unfinished, 0U);
      EXPECT_TRUE(result->stopped.empty()) << result->stopped;
      // nginx, told of time-outs everywhere, has no live upstreams for 10 s at a time.
      EXPECT_GT(result->ends[0], options.calls / 10);
    }
    EXPECT_EQ(bytes(*sim::run_fleet(wild(rule, 1))), bytes(*sim::run_fleet(wild(rule, 1))))
        << rule.name;
  }
}

TEST(Peers, AreStableWhereNothingGoesWrong) {
  for (const PeerRule& rule : peer_rules()) {
    FleetOptions options;
    options.servers = {{.count = 10}};
    options.chooser = rule.make();
    options.arrivals = sim::Arrivals::poisson(700);
    options.work = sim::Distribution::exponential(0.01);
    options.reports = true;
    options.calls = 20'000;
    const auto result = sim::run_fleet(options);
    ASSERT_TRUE(result.has_value()) << result.error().message;
    EXPECT_EQ(result->errors(), 0U) << rule.name;
    EXPECT_LT(result->times.mean_s(), 0.2) << rule.name;
  }
}

}  // namespace
}  // namespace evener::lab::peers
