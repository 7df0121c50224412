// Every quick experiment of `evener lab check`, as one test each: theory_E07_max_load and so on.
// Long ones at a smaller scale, with the wider tolerances that belong to it; the whole is
// `make lab-check`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lab/registry.h"
#include "lab/render.h"

namespace evener::lab {
namespace {

// Seconds that one test may take on one core; sanitizers make the same work several times longer.
#ifdef EV_SANITIZED
constexpr double kSecondsMost = 0.2;
#else
constexpr double kSecondsMost = 1.2;
#endif

class Rows : public testing::TestWithParam<const Experiment*> {};

TEST_P(Rows, hold) {
  const Experiment& experiment = *GetParam();
  const double alone = 2 * experiment.seconds;
  const Look look = {.seed = 1, .scale = std::min(1.0, kSecondsMost / alone)};
  const Report report = run(experiment, {.seed = look.seed, .jobs = 2, .scale = look.scale});
  EXPECT_TRUE(report.good()) << to_text(experiment, report, look);
}

std::vector<const Experiment*> quick() {
  std::vector<const Experiment*> out;
  for (const Experiment& experiment : experiments()) {
    if (!experiment.nightly) out.push_back(&experiment);
  }
  return out;
}

std::string test_name(const testing::TestParamInfo<const Experiment*>& info) {
  std::string name = fmt::format("theory_{}_{}", info.param->id, info.param->name);
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Lab, Rows, testing::ValuesIn(quick()), test_name);

}  // namespace
}  // namespace evener::lab
