#include "lab/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace evener::lab {
namespace {

TEST(Registry, ids_and_names_are_unique_and_in_order) {
  std::set<std::string_view> words;
  std::string_view last;
  for (const Experiment& experiment : experiments()) {
    EXPECT_LT(last, experiment.id);
    last = experiment.id;
    EXPECT_TRUE(words.insert(experiment.id).second) << experiment.id;
    EXPECT_TRUE(words.insert(experiment.name).second) << experiment.name;
    EXPECT_FALSE(experiment.summary.empty() || experiment.source.empty()) << experiment.id;
    EXPECT_FALSE(experiment.summary.ends_with('.')) << experiment.id;
    EXPECT_FALSE(experiment.conventions.sampling.empty() || experiment.conventions.ties.empty() ||
                 experiment.conventions.counting.empty())
        << experiment.id << ": what moves the third digit must be said";
    EXPECT_GT(experiment.seconds, 0) << experiment.id;
    ASSERT_NE(experiment.plan, nullptr) << experiment.id;
    const Plan plan = experiment.plan({});
    EXPECT_FALSE(plan.cells().empty()) << experiment.id;
    EXPECT_TRUE(plan.judgement()) << experiment.id;
  }
}

// `lab check` without --nightly must stay under three minutes on two cores.
TEST(Registry, the_quick_ones_are_quick_together) {
  double seconds = 0;
  for (const Experiment& experiment : experiments()) {
    if (!experiment.nightly) seconds += experiment.seconds;
  }
  EXPECT_LT(seconds, 170);
}

TEST(Registry, found_by_id_and_name_in_any_case) {
  for (const std::string_view word : {"E07", "e07", "max-load", "Max-Load"}) {
    const auto found = find_experiment(word);
    ASSERT_TRUE(found.has_value()) << word;
    EXPECT_EQ((*found)->id, "E07");
  }
}

TEST(Registry, an_unknown_word_gets_the_nearest) {
  EXPECT_EQ(find_experiment("max-laod").error(),
            "no experiment `max-laod`, did you mean `max-load`; `evener lab list` shows all");
  EXPECT_EQ(find_experiment("zzzzzzzzzzzz").error(),
            "no experiment `zzzzzzzzzzzz`; `evener lab list` shows all");
}

}  // namespace
}  // namespace evener::lab
