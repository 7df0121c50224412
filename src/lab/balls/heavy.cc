#include <algorithm>

#include "lab/balls/cells.h"
#include "lab/balls/experiments.h"
#include "lab/theory/balls.h"

namespace evener::lab::balls {
namespace {

constexpr std::size_t kBins = 1'000;
constexpr Conventions kConventions = {
    .sampling = "distinct",
    .ties = "at random",
    .counting = "the gap is the fullest bin less the mean; 1,000 bins, k balls for each",
};
// Beyond 128 in flight the policies take counts that differ by less than 1/128 as equal, so the
// Balancer's rows stay below.
constexpr std::uint64_t kRealEach = 100;

Plan plan_heavy(const PlanOptions& options) {
  Plan plan(options);
  const EndpointSetPtr set = equal_endpoints(kBins);
  const CellId much = plan.cell("lean, k = 1000", 100, 6e-3, lean_gap(kBins, 1'000, {}));
  const CellId little = plan.cell("lean, k = 10", 200, 6e-5, lean_gap(kBins, 10, {}));
  const CellId real =
      plan.cell("evener p2c, k = 10", 200, 4e-4, real_gap(set, 10, {.name = "p2c"}));
  const CellId real_more =
      plan.cell("evener p2c, k = 100", 100, 4e-3, real_gap(set, kRealEach, {.name = "p2c"}));
  const CellId blurred =
      plan.fixed("evener p2c, k = 1000", 4, 4e-2, real_gap(set, 1'000, {.name = "p2c"}));
  plan.judge([much, little, real, real_more, blurred](const Results& results, Report& report) {
    const std::string source = "simulated, 100 runs; fluid limit 2.07";
    report.within("gap, k = 1000, lean", results.mean(much), 2.05, 0.12, source);
    report.between("least gap, k = 1000, lean", exact(results.least(much)), 2, 3, source);
    report.between("largest gap, k = 1000, lean", exact(results.most(much)), 2, 3, source);
    report.within("gap, k = 10, lean", results.mean(little), 2.05, 0.12, source);
    report.within("gap, k = 10, evener p2c", results.mean(real), 2.05, 0.12, source);
    report.within("gap, k = 100, evener p2c", results.mean(real_more), 2.05, 0.12, source);
    report.info("gap, k = 1000, evener p2c: counts within 1/128 are equal", results.mean(blurred),
                "a policy's tolerance, not the theory");
    report.info(
        "gap from the fluid limit at k = 20",
        exact(theory::mean_of(theory::fullest_distribution(theory::ball_tails(2, 20, 30), kBins)) -
              20),
        "fluid limit, Poisson count");
  });
  return plan;
}

Plan plan_one_choice(const PlanOptions& options) {
  Plan plan(options);
  const CellId lean = plan.cell("lean", 100, 2e-4, lean_gap(kBins, 100, {.choices = 1}));
  const CellId real = plan.cell("evener random", 100, 3e-3,
                                real_gap(equal_endpoints(kBins), 100, {.name = "random"}));
  plan.judge([lean, real](const Results& results, Report& report) {
    const double expected = theory::one_choice_gap(kBins, 100);
    const std::string source = "independent Poisson bins";
    report.within("gap, k = 100, lean", results.mean(lean), expected, 2.5, source);
    report.within("gap, k = 100, evener random", results.mean(real), expected, 2.5, source);
  });
  return plan;
}

Plan plan_beta(const PlanOptions& options) {
  struct Point {
    double beta;
    double gap;
    double tolerance;
  };
  static constexpr Point kPoints[] = {{0.25, 13.9, 1.4}, {0.5, 6.55, 0.7}, {0.75, 3.91, 0.4}};
  Plan plan(options);
  const EndpointSetPtr set = equal_endpoints(kBins);
  std::vector<std::pair<CellId, CellId>> cells;
  for (const Point& point : kPoints) {
    const std::string beta = ", beta " + std::to_string(point.beta).substr(0, 4);
    cells.emplace_back(
        plan.cell("lean" + beta, 50, 1.5e-2, lean_gap(kBins, 1'000, {.beta = point.beta})),
        plan.cell("evener p2c" + beta, 50, 4e-3,
                  real_gap(set, kRealEach, {.name = "p2c", .beta = point.beta})));
  }
  plan.judge([cells](const Results& results, Report& report) {
    Series curve{"gap over beta", "beta", "gap", {}, {}};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Point& point = kPoints[i];
      const std::string beta = "beta " + std::to_string(point.beta).substr(0, 4);
      const std::string source = "simulated, 100 runs";
      report.within("gap, k = 1000, lean, " + beta, results.mean(cells[i].first), point.gap,
                    point.tolerance, source);
      report.within("gap, k = 100, evener p2c, " + beta, results.mean(cells[i].second), point.gap,
                    point.tolerance, source);
      curve.x.push_back(point.beta);
      curve.y.push_back(results.mean(cells[i].first).value);
    }
    report.series(std::move(curve));
  });
  return plan;
}

// {gap in weight} after `each` balls a bin of exponential weight; the mean is what was placed.
Cells weighted_gap(std::uint64_t each, Compare compare) {
  return [each, compare](Rng& rng) -> Sample {
    std::vector<double> weights(kBins);
    std::vector<std::uint32_t> counts(kBins);
    place_weighted(weights, counts, kBins * each, compare, rng);
    return {std::ranges::max(weights) - mean(weights)};
  };
}

Plan plan_weighted(const PlanOptions& options) {
  Plan plan(options);
  const auto cell = [&plan](std::string name, std::uint64_t each, Compare compare) {
    return plan.cell(std::move(name), 100, 3e-8 * static_cast<double>(kBins * each),
                     weighted_gap(each, compare));
  };
  const CellId weight = cell("by weight, k = 10", 10, Compare::kWeight);
  const CellId weight_long = cell("by weight, k = 1000", 1'000, Compare::kWeight);
  const CellId count = cell("by count, k = 10", 10, Compare::kCount);
  const CellId count_long = cell("by count, k = 1000", 1'000, Compare::kCount);
  const CellId nothing = cell("one choice, k = 10", 10, Compare::kNothing);
  plan.judge([weight, weight_long, count, count_long, nothing](const Results& results,
                                                               Report& report) {
    const std::string source = "simulated, 100 runs";
    report.within("gap, compared by weight, k = 10", results.mean(weight), 7.4, 0.8, source);
    report.within("gap, compared by weight, k = 1000", results.mean(weight_long), 7.4, 0.8, source);
    report.within_share("gap, compared by count, k = 10", results.mean(count), 14, 0.15, source);
    report.within_share("gap, compared by count, k = 1000", results.mean(count_long), 104, 0.15,
                        source);
    report.info("gap, one choice, k = 10", results.mean(nothing), "");
  });
  return plan;
}

Cells batch_gap(std::uint64_t batch) {
  return [batch](Rng& rng) -> Sample {
    constexpr std::uint64_t kEach = 1'000;
    std::vector<std::uint32_t> bins(kBins);
    place_in_batches(bins, kBins * kEach, batch, {}, rng);
    return {static_cast<double>(most_loaded<std::uint32_t>(bins)) - static_cast<double>(kEach)};
  };
}

Plan plan_batches(const PlanOptions& options) {
  struct Point {
    std::uint64_t batch;
    std::string_view name;
    double gap;
    double tolerance;
  };
  static constexpr Point kPoints[] = {{1, "one ball", 2.06, 0.2},
                                      {kBins, "n balls", 4.72, 0.6},
                                      {10 * kBins, "10 n balls", 16.5, 1.6},
                                      {50 * kBins, "50 n balls", 53, 4}};
  Plan plan(options);
  std::vector<CellId> cells;
  for (const Point& point : kPoints) {
    cells.push_back(plan.cell(std::string(point.name), 50, 6e-3, batch_gap(point.batch)));
  }
  plan.judge([cells](const Results& results, Report& report) {
    Series curve{"gap over batch", "balls in a batch, in n", "gap", {}, {}};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      report.within("gap, batches of " + std::string(kPoints[i].name), results.mean(cells[i]),
                    kPoints[i].gap, kPoints[i].tolerance, "simulated, 50 runs");
      curve.x.push_back(static_cast<double>(kPoints[i].batch) / kBins);
      curve.y.push_back(results.mean(cells[i]).value);
    }
    report.series(std::move(curve));
  });
  return plan;
}

}  // namespace

Experiment heavy_gap() {
  return {.id = "E12",
          .name = "heavy-gap",
          .summary = "two choices, many balls: the gap does not grow",
          .source = "Berenbrink, Czumaj, Steger, Voecking 2000",
          .conventions = kConventions,
          .seconds = 0.6,
          .plan = plan_heavy};
}

Experiment one_choice_gap() {
  return {.id = "E13",
          .name = "one-choice-gap",
          .summary = "one choice, many balls: the gap grows like a square root",
          .source = "Raab and Steger 1998",
          .conventions = kConventions,
          .seconds = 0.2,
          .plan = plan_one_choice};
}

Experiment one_plus_beta() {
  return {.id = "E14",
          .name = "one-plus-beta",
          .summary = "two choices only now and then: the gap is about ln n / (2 beta)",
          .source = "Peres, Talwar, Wieder 2010",
          .conventions = kConventions,
          .seconds = 1,
          .plan = plan_beta};
}

Experiment weighted_balls() {
  return {.id = "E15",
          .name = "weighted-balls",
          .summary = "balls of exponential weight: compare what must be even",
          .source = "Talwar, Wieder 2007",
          .conventions = {.sampling = kConventions.sampling,
                          .ties = kConventions.ties,
                          .counting = "the gap is the heaviest bin less the mean, in mean weights"},
          .seconds = 2,
          .plan = plan_weighted};
}

Experiment batches() {
  return {.id = "E16",
          .name = "batches",
          .summary = "decisions of a batch see the loads of its beginning",
          .source = "Berenbrink et al. 2012; Los, Sauerwald 2023",
          .conventions = kConventions,
          .seconds = 0.5,
          .plan = plan_batches};
}

}  // namespace evener::lab::balls
