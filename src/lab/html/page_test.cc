#include "lab/html/page.h"

#include <gtest/gtest.h>

#include <limits>

#include "lab/scenario/builtin.h"

namespace evener::lab {
namespace {

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t out = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++at) ++out;
  return out;
}

Contest small_contest() {
  Contest out;
  out.seed = 7;
  out.scale = 0.01;
  for (const BuiltinScenario& one : builtin_scenarios()) {
    if (one.file != "slow-two-of-four.yaml") continue;
    out.scenarios.push_back(parse_scenario(one.text, one.file).value());
    out.scenarios.back().fleet.calls = 4'000;
    out.scenarios.back().fleet.until_s = 0;
    out.scenarios.back().fleet.warm_up_calls = 0;
    out.scenarios.back().fleet.warm_up_s = 0;
    out.sources.emplace_back(one.text);
    out.files.emplace_back("slow-two-of-four");
  }
  out.contenders = parse_contenders("evener,nginx_random_two,traefik_p2c,oracle").value();
  return out;
}

class Html : public testing::Test {
 protected:
  void SetUp() override {
    if (!html_built()) GTEST_SKIP() << html_missing();
  }
};

TEST_F(Html, data_cannot_end_its_element_nor_the_title) {
  const std::string page =
      page_html({.title = "<b> & \"c\"", .about = "</p>", .command = "x"}, R"(["</script><!--"])");
  const std::string plain = page_html({.title = "", .about = "", .command = "x"}, "[]");
  EXPECT_EQ(count(page, "</script>"), count(plain, "</script>"));
  EXPECT_NE(page.find(R"(["\u003c/script>\u003c!--"])"), std::string::npos);
  EXPECT_NE(page.find("<title>&lt;b&gt; &amp; &quot;c&quot;</title>"), std::string::npos);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
}

TEST_F(Html, a_page_asks_no_network) {
  const std::string page = page_html({.title = "t", .about = "a", .command = "c"}, "{}");
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const std::string_view part : {"src=", "@import", "url("}) {
    EXPECT_EQ(count(page, part), 0u) << part;
  }
}

TEST_F(Html, same_results_same_bytes) {
  const Contest contest = small_contest();
  const auto make = [&](unsigned jobs) {
    const Scoreboard board = score(contest, run_contest(contest, {.jobs = jobs}));
    return contest_html(contest, board, load_over_time(contest, board, jobs), "again");
  };
  const std::string page = make(1);
  EXPECT_EQ(page, make(3));
  EXPECT_NE(page.find(R"("name":"server 3, speed 0.1")"), std::string::npos);
}

TEST_F(Html, plan_holds_every_point_and_what_never_settled) {
  PlanQuestion question;
  question.p99_s = 0.06;
  question.work = sim::Distribution::parse("lognormal(sigma=1,mean=0.01)").value();
  const double never = std::numeric_limits<double>::infinity();
  const PlanAnswer answer{.policy = "evener",
                          .endpoints = 3,
                          .perhaps = 2,
                          .points = {{2, 0.9, {never, never, 2}, {never, never, 2}},
                                     {3, 0.6, {0.05, 0.002, 2}, {0.02, 0.001, 2}}}};
  const std::string page = plan_html(question, {answer}, "evener lab plan --rate 100");
  for (const std::string_view part :
       {R"("kind":"plan")", R"("endpoints":3,"perhaps":2)", R"("p99_s":null)",
        R"("p99_s":0.05,"p99_half_width_s":0.002)", "evener lab plan --rate 100",
        "keep the p99 below 60 ms: work lognormal("}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
}

TEST_F(Html, load_is_of_ours_and_the_best_peer) {
  const Contest contest = small_contest();
  const Scoreboard board = score(contest, run_contest(contest, {}));
  const auto load = load_over_time(contest, board, 1);
  ASSERT_EQ(load.size(), 2 * board.situations.size());
  for (std::size_t i = 0; i < load.size(); i += 2) {
    EXPECT_EQ(load[i].contender, 0u);
    EXPECT_EQ(contest.contenders[load[i + 1].contender].side, Contender::Side::kPeer);
    EXPECT_EQ(load[i].lines.size(), 4u);
    EXPECT_GT(load[i].at_s.size(), kSamplesWanted / 3);
    EXPECT_LE(load[i].at_s.size(), 2 * kSamplesWanted);
    EXPECT_EQ(load[i].lines[0].in_system.size(), load[i].at_s.size());
  }
}

}  // namespace
}  // namespace evener::lab
