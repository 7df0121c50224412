#include <algorithm>

#include "lab/balls/bins.h"
#include "lab/balls/experiments.h"
#include "lab/balls/real.h"

namespace evener::lab::balls {
namespace {

constexpr Conventions kConventions = {
    .sampling = "distinct, or with replacement where the row says so",
    .ties = "at random",
    .counting = "a bin's load is the number of its balls; as many balls as bins",
};

// The largest load after n balls, lean.
std::function<Sample(Rng&)> lean(std::size_t n, const Rule& rule) {
  return [n, rule](Rng& rng) -> Sample {
    std::vector<std::uint8_t> bins(n);
    place<std::uint8_t>(bins, n, rule, rng);
    return {static_cast<double>(most_loaded<std::uint8_t>(bins))};
  };
}

// The same by the Balancer.
std::function<Sample(Rng&)> real(const EndpointSetPtr& set, const PolicySettings& policy) {
  return [set, policy](Rng& rng) -> Sample {
    return {static_cast<double>(std::ranges::max(place_real(set, policy, set->size(), rng)))};
  };
}

Plan plan_one(const PlanOptions& options) {
  Plan plan(options);
  const CellId model = plan.cell("lean", 10'000, 2e-6, lean(100, {.choices = 1}));
  const CellId product =
      plan.cell("evener random", 10'000, 2e-5, real(equal_endpoints(100), {.name = "random"}));
  plan.judge([model, product](const Results& results, Report& report) {
    const std::string source = "exact, multinomial (tc.one_choice_pmf)";
    report.within("mean of the maximum, lean", results.mean(model), 4.2326, 0.03, source);
    report.within("P(maximum = 4), lean", results.share(model, 4), 0.5755, 0.02, source);
    report.within("mean of the maximum, evener random", results.mean(product), 4.2326, 0.03,
                  source);
    report.within("P(maximum = 4), evener random", results.share(product, 4), 0.5755, 0.02, source);
  });
  return plan;
}

}  // namespace

Experiment max_load_one() {
  return {.id = "E07",
          .name = "max-load",
          .summary = "100 balls in 100 bins, one choice: the fullest bin",
          .source = "Gonnet 1981; Raab and Steger 1998",
          .conventions = kConventions,
          .seconds = 0.2,
          .plan = plan_one};
}

}  // namespace evener::lab::balls
