#include "lab/scenario/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lab/peers/peers.h"
#include "lab/scenario/builtin.h"
#include "lab/scenario/contender.h"
#include "lab/scenario/render_scores.h"

namespace evener::lab {
namespace {

using testing::HasSubstr;

std::string with(std::string_view line) {
  return "name: x\nservers: [{ count: 4 }]\nwork: exp(mean=0.01)\narrivals: { load: 0.5 }\n"
         "run: { for: 10s }\n" +
         std::string(line) + "\n";
}

// The first message, with its line.
std::string error_of(const std::string& yaml) {
  const auto scenario = parse_scenario(yaml, "x.yaml");
  return scenario ? "none" : config::to_string(scenario.error().front());
}

TEST(Scenario, ThoseThatComeWithEvenerAreGood) {
  ASSERT_GE(builtin_scenarios().size(), 25U);
  std::vector<std::string> names;
  for (const BuiltinScenario& one : builtin_scenarios()) {
    const auto scenario = parse_scenario(one.text, one.file);
    ASSERT_TRUE(scenario) << config::to_string(scenario.error().front());
    EXPECT_EQ(scenario->name + ".yaml", one.file);
    EXPECT_FALSE(scenario->about.empty());
    for (std::size_t load = 0; load < scenario->loads.size(); ++load) {
      EXPECT_NEAR(options_at(*scenario, load, 1).arrivals.mean_rate(),
                  scenario->loads[load] * scenario->capacity, 1e-6 * scenario->capacity);
    }
  }
}

TEST(Scenario, LoadIsOfWhatTheServersCanDo) {
  const auto scenario = parse_scenario(
      "name: x\nservers: [{ count: 2, slots: 3, speed: 2 }, { count: 1 }]\nwork: const(mean=0.1)\n"
      "arrivals: { load: [0.5, 1.5] }\nrun: { for: 10s }\n",
      "x.yaml");
  ASSERT_TRUE(scenario);
  EXPECT_DOUBLE_EQ(scenario->capacity, 130);
  EXPECT_DOUBLE_EQ(options_at(*scenario, 1, 9).arrivals.rate, 195);
  EXPECT_EQ(options_at(*scenario, 1, 9).seed, 9U);
}

TEST(Scenario, AFailedCallCountsAsWhatItsCallerWaited) {
  const auto scenario = parse_scenario(with("timeout: 200ms\nretry: { attempts: 3 }"), "x.yaml");
  ASSERT_TRUE(scenario);
  EXPECT_EQ(scenario->error_time, Duration::milliseconds(600));
}

// What is wrong is said with its line, and nothing runs that would not end.
TEST(Scenario, ErrorsSayWhereAndWhat) {
  EXPECT_EQ(error_of(with("")), "none");
  EXPECT_THAT(error_of(with("fault: []")), HasSubstr("x.yaml:6:1: error"));
  EXPECT_THAT(error_of(with("fault: []")), HasSubstr("faults"));
  EXPECT_THAT(error_of(with("faults: [{ fault: slow, servers: 0-9, value: 0.1 }]")),
              HasSubstr("servers from 0 to 3"));
  EXPECT_THAT(error_of(with("faults: [{ fault: slow, servers: 1 }]")), HasSubstr("`value: FACTOR"));
  EXPECT_THAT(error_of(with("faults: [{ fault: hang, servers: 1 }]")), HasSubstr("time-out"));
  EXPECT_THAT(error_of(with("faults: [{ fault: dead, servers: 1, at: 5s, until: 2s }]")),
              HasSubstr("`until` after `at`"));
  EXPECT_THAT(error_of(with("delay: exp(mean=-1)")), HasSubstr("x.yaml:6:8"));
  EXPECT_THAT(error_of(with("timeout: 0s")), HasSubstr("expected 1ms to 86400s, found `0s`"));
  EXPECT_THAT(error_of(with("balancers: 0")), HasSubstr("expected"));
  EXPECT_THAT(error_of(with("hedge: {}")), HasSubstr("x.yaml:6:8"));
  EXPECT_THAT(error_of(with("hedge: { after: p30 }")), HasSubstr("p50 to p99.99"));
  EXPECT_THAT(error_of(with("hedge: { after: soon }")), HasSubstr("x.yaml:6:17"));
  EXPECT_EQ(error_of(with("hedge: { after: p99.9 }")), "none");
  EXPECT_EQ(error_of(with("hedge: { after: 30ms }")), "none");
  EXPECT_THAT(error_of(with("rollouts: [{ at: 3s }]")), HasSubstr("neither"));
}

TEST(Scenario, WhatWouldNotEndIsRefused) {
  const std::string head = "name: x\nservers: [{ count: 4 }]\nwork: exp(mean=0.01)\n";
  EXPECT_THAT(error_of(head + "arrivals: { load: 0.5 }\nrun: {}\n"), HasSubstr("a run must end"));
  EXPECT_THAT(error_of(head + "arrivals: { rate: -5 }\nrun: { for: 1s }\n"), HasSubstr("x.yaml:4"));
  EXPECT_THAT(error_of(head + "arrivals: { rate: 1000000000 }\nrun: { for: 1h }\n"),
              HasSubstr("calls a run"));
  EXPECT_THAT(error_of(head + "arrivals: { kind: closed, users: 3, think: exp, load: 1 }\n"
                              "run: { for: 1s }\n"),
              HasSubstr("no meaning"));
  EXPECT_THAT(error_of(head + "arrivals: { load: 0.5 }\nrun: { for: 1s, warmup: 2s }\n"),
              HasSubstr("`warmup` below `for`"));
  EXPECT_THAT(error_of("servers: [{ count: 4 }]\n"), HasSubstr("`name: NAME`"));
}

TEST(Contender, TakesWhatAPoolTakes) {
  for (const char* good : {"evener", "evener(ejection=off)", "peak_ewma(choices=all, tau=3s)",
                           "p2c( choices = 3 )", "ring", "oracle", "nginx_random_two"}) {
    const auto one = parse_contender(good);
    EXPECT_TRUE(one) << good << ": " << (one ? "" : one.error().message);
  }
  EXPECT_THAT(parse_contender("peak_ewna").error().message, HasSubstr("did you mean `peak_ewma`"));
  EXPECT_THAT(parse_contender("zzzzzzzzzzzz").error().message, HasSubstr("nginx_random_two"));
  EXPECT_THAT(parse_contender("p2c(tau=3s)").error().message, HasSubstr("tau"));
  EXPECT_THAT(parse_contender("p2c(choices").error().message, HasSubstr("`)`"));
  EXPECT_THAT(parse_contender("p2c(choices)").error().message, HasSubstr("KEY=VALUE"));
  EXPECT_THAT(parse_contender("oracle(a=b)").error().message, HasSubstr("no settings"));
  EXPECT_EQ(parse_contenders("p2c(choices=3),p2c")->size(), 2U);
  EXPECT_THAT(parse_contenders("p2c,p2c").error().message, HasSubstr("twice"));
  EXPECT_GE(default_contenders().size(), 25U);
  // A name of the catalog would hide a peer's.
  for (const PeerRule& peer : peer_rules()) {
    if (peer.name == "random" || peer.name == "round_robin") continue;
    EXPECT_EQ(parse_contender(peer.name)->side, Contender::Side::kPeer) << peer.name;
  }
}

Contest small_contest() {
  Contest out;
  const std::string yaml =
      "name: small\nservers: [{ count: 4 }]\nbalancers: 2\nwork: exp(mean=0.01)\n"
      "arrivals: { load: [0.5, 0.8] }\nrun: { for: 5s, warmup: 1s, runs: 3 }\n";
  out.scenarios = {parse_scenario(yaml, "small.yaml").value()};
  out.sources = {yaml};
  out.files = {"my small.yaml"};
  out.contenders = parse_contenders("p2c,random,oracle").value();
  out.seed = 11;
  return out;
}

TEST(Scores, TheSameBytesForAnyNumberOfThreadsAndParts) {
  const Contest contest = small_contest();
  const CellResults whole = run_contest(contest, {.jobs = 1});
  const std::string expected = score_json(contest, score(contest, whole));
  EXPECT_EQ(score_json(contest, score(contest, run_contest(contest, {.jobs = 3}))), expected);
  std::vector<std::string> parts;
  for (const std::size_t i : {2UL, 0UL, 1UL}) {
    parts.push_back(
        results_json(contest, run_contest(contest, {.jobs = 2, .shard = i, .shards = 3})));
  }
  const auto merged = merge_results(parts, {"a", "b", "c"});
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(score_json(merged->contest, score(merged->contest, merged->results)), expected);
}

// More comes than is served: a run that would go on for ever is stopped, and said how to see.
TEST(Scores, ARunThatStopsHasALineThatReplaysIt) {
  Contest contest = small_contest();
  contest.scenarios[0].fleet.out_max = 5;
  contest.scale = 0.5;
  contest.contenders = parse_contenders("p2c(choices=3),oracle").value();
  const Scoreboard board = score(contest, run_contest(contest, {}));
  const std::string lines = failure_lines(contest, board);
  EXPECT_THAT(lines, HasSubstr("small at 0.5, p2c(choices=3): stopped at "));
  EXPECT_THAT(lines, HasSubstr("more than out_max 5: more comes than is served. Again: evener lab "
                               "scenario 'my small.yaml' --policy 'p2c(choices=3)' --seed 11 "
                               "--scale 0.5\n"));
  // Alone it is the same run.
  Contest alone = contest;
  alone.contenders = parse_contenders("p2c(choices=3)").value();
  EXPECT_EQ(score(alone, run_contest(alone, {})).situations[0].scores[0].stopped,
            board.situations[0].scores[0].stopped);
}

TEST(Scores, CallsThatDoNotEndInTimeAreSaid) {
  Contest contest = small_contest();
  contest.scenarios[0].fleet.drain_s = 0;
  const Scoreboard board = score(contest, run_contest(contest, {}));
  EXPECT_THAT(failure_lines(contest, board), HasSubstr("calls had not ended when the time was over"
                                                       ". Again: evener lab scenario"));
  EXPECT_EQ(
      failure_lines(small_contest(), score(small_contest(), run_contest(small_contest(), {}))), "");
}

class Forgetful final : public sim::Chooser {
 public:
  std::optional<sim::Choice> choose(const sim::ChoiceRequest&) override { return sim::Choice{0}; }
  void done(const sim::Choice&, const sim::Answer&) override {}
  void apply(const EndpointSetPtr&, Time) override {}
  std::optional<std::uint64_t> in_flight() const override { return 7; }
};

TEST(ScoresDeathTest, AnInvariantThatBreaksSaysHowToSeeIt) {
  Contest contest = small_contest();
  contest.contenders[1].text = "forgetful";
  contest.contenders[1].chooser = [](const sim::ChooserContext&) {
    return std::make_unique<Forgetful>();
  };
  EXPECT_DEATH(static_cast<void>(run_contest(contest, {.jobs = 2})),
               "differs from the fleet's\nevener: small at 0.5, run 0. Again: evener lab scenario "
               "'my small.yaml' --policy forgetful --seed 11\n");
}

// Two servers for three times what they can do: no warm-up is long enough.
TEST(Scores, ASteadyScenarioSaysWhetherItSettled) {
  Contest contest = small_contest();
  const std::string head = situation_text(contest, score(contest, run_contest(contest, {})), 0);
  EXPECT_THAT(head, HasSubstr("warm-up: the first 1 s of 5 s are not measured; MSER-5 would cut "));
  EXPECT_THAT(head, testing::Not(HasSubstr("never settles")));
  contest.scenarios[0].loads = {3};
  const Scoreboard board = score(contest, run_contest(contest, {}));
  EXPECT_THAT(situation_text(contest, board, 0),
              HasSubstr("never settles: its last quarter takes"));
  EXPECT_FALSE(board.situations[0].scores[0].settling.settled);
  EXPECT_THAT(score_json(contest, board), HasSubstr("\"settled\": false"));
  contest.scenarios[0].steady = false;
  EXPECT_THAT(situation_text(contest, score(contest, run_contest(contest, {})), 0),
              HasSubstr("of 5 s are not measured\n"));
}

TEST(Scores, PartsThatDoNotFitAreRefused) {
  Contest contest = small_contest();
  const std::string part = results_json(contest, run_contest(contest, {.shard = 0, .shards = 2}));
  EXPECT_THAT(merge_results({part}, {"a"}).error().message, HasSubstr("cells are in no file"));
  EXPECT_THAT(merge_results({"{}"}, {"a"}).error().message, HasSubstr("a: expected a file"));
  EXPECT_THAT(merge_results({"[1"}, {"a"}).error().message, HasSubstr("damaged"));
  EXPECT_THAT(merge_results({part.substr(0, part.size() / 2)}, {"a"}).error().message,
              HasSubstr("damaged"));
  contest.seed = 12;
  const std::string other = results_json(contest, run_contest(contest, {.shard = 1, .shards = 2}));
  EXPECT_THAT(merge_results({part, other}, {"a", "b"}).error().message, HasSubstr("b: expected"));
}

// Nobody is worse than random.
TEST(Scores, WhereAPeerIsBetterIsSaid) {
  Contest contest = small_contest();
  contest.contenders = parse_contenders("random,haproxy_leastconn,oracle").value();
  const std::string text = score_text(contest, score(contest, run_contest(contest, {.jobs = 2})));
  EXPECT_THAT(text, HasSubstr("better than that of random by more than 1.1"));
  EXPECT_THAT(text, HasSubstr("small at 0.8: haproxy_leastconn, "));
}

TEST(Scores, TheOrderOfTheoryIsFound) {
  const Contest contest = small_contest();
  const Scoreboard board = score(contest, run_contest(contest, {.jobs = 2}));
  ASSERT_EQ(board.standings.size(), 2U);
  EXPECT_EQ(contest.contenders[board.standings[0].contender].text, "p2c");
  for (const SituationScores& of : board.situations) {
    EXPECT_TRUE(of.central_queue);
    EXPECT_EQ(contest.contenders[of.bound_of].text, "oracle");
    EXPECT_GT(of.scores[1].regret, of.scores[0].regret);
  }
  EXPECT_THAT(situation_text(contest, board, 1), HasSubstr("small at 0.8"));
}

}  // namespace
}  // namespace evener::lab
