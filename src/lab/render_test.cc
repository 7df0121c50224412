#include "lab/render.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace evener::lab {
namespace {

constexpr Experiment kExperiment = {
    .id = "X1",
    .name = "an-example",
    .summary = "what it is",
    .source = "Somebody 1999",
    .conventions = {.sampling = "distinct", .ties = "at random", .counting = "all"}};

Report example() {
  Report report;
  report.within("mean, \"lean\"", {1.234567, 0.0123, 8}, 1.23, 0.01, "exact, by hand");
  report.at_least("floor", exact(0.5), 1, "a bound");
  report.info("beside", {3, std::numeric_limits<double>::infinity(), 1}, "");
  report.series({"curve", "x", "y", {1, 2}, {3, 4}});
  return report;
}

TEST(Render, text_says_conventions_figures_and_how_to_see_it_again) {
  const std::string text = to_text(kExperiment, example(), {.seed = 7, .scale = 2});
  for (const std::string_view part :
       {"X1 an-example: what it is", "source    Somebody 1999", "samples   distinct",
        "ties      at random", "counts    all", "seed      7, scale 2", "1.2346 +- 0.012", ">= 1",
        "OFF", "3 (one run)",
        "X1: 1 of 3 rows off. Again: evener lab run X1 --seed 7 --scale 2\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
  }
  EXPECT_EQ(text.find('\033'), std::string::npos) << "no colours unless asked for";
  EXPECT_NE(to_text(kExperiment, example(), {.colours = true}).find("\033[32mgood"),
            std::string::npos);
}

TEST(Render, every_table_ends_with_the_line_that_gives_it_again) {
  Report good;
  good.exactly("one", 1, 1, "");
  const std::string text = to_text(kExperiment, good, {.seed = 7});
  EXPECT_TRUE(text.ends_with("\nAgain: evener lab run X1 --seed 7\n")) << text;
}

TEST(Render, each_row_that_is_off_has_a_line_with_its_replay) {
  Report report = example();
  report.within("late", {2, 0.5, 4}, 1, 0.25, "");
  EXPECT_EQ(off_lines(kExperiment, report, {.seed = 7, .scale = 0.5}),
            "X1 an-example: floor: expected >= 1, got 0.5. "
            "Again: evener lab run X1 --seed 7 --scale 0.5\n"
            "X1 an-example: late: expected 1 +- 0.25, got 2 +- 0.5. "
            "Again: evener lab run X1 --seed 7 --scale 0.5\n");
  Report good;
  good.exactly("one", 1, 1, "");
  EXPECT_EQ(off_lines(kExperiment, good, {}), "");
}

TEST(Render, columns_are_aligned) {
  const std::string text = to_lines(kExperiment, example(), {});
  std::vector<std::size_t> places;
  for (const std::string_view word : {"verdict", "good", "OFF"}) {
    const std::size_t at = text.find(word);
    places.push_back(at - text.rfind('\n', at));
  }
  EXPECT_EQ(places, std::vector<std::size_t>(3, places[0])) << text;
}

TEST(Render, json_can_be_read_and_has_no_infinity) {
  const Finished finished[] = {{&kExperiment, example()}};
  const auto json = nlohmann::json::parse(to_json(finished, {.seed = 7}));
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["good"], false);
  const auto& one = json["experiments"][0];
  EXPECT_EQ(one["replay"], "evener lab run X1 --seed 7");
  EXPECT_EQ(one["rows"][0]["verdict"], "good");
  EXPECT_EQ(one["rows"][1]["verdict"], "off");
  EXPECT_TRUE(one["rows"][1]["high"].is_null());
  EXPECT_TRUE(one["rows"][2]["half_width"].is_null());
  EXPECT_EQ(one["series"][0]["y"][1], 4);
}

TEST(Render, csv_quotes_what_must_be_quoted) {
  const Finished finished[] = {{&kExperiment, example()}};
  const std::string csv = to_csv(finished);
  EXPECT_NE(csv.find("X1,an-example,\"mean, \"\"lean\"\"\",within,1.23,,,0.01,1.234567,0.0123,8,"
                     "good,\"exact, by hand\"\n"),
            std::string::npos)
      << csv;
}

}  // namespace
}  // namespace evener::lab
