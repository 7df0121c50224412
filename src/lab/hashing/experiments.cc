#include "lab/hashing/experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "lab/hashing/cuckoo.h"
#include "lab/theory/balls.h"

namespace evener::lab::hashing {
namespace {

constexpr std::uint32_t kSlots = 1'000'000;

struct Shape {
  std::uint32_t hashes;
  std::uint32_t slots;
};
constexpr Shape kShapes[] = {{2, 2}, {2, 4}, {3, 1}};

// {load at the first failure}
Sample fill(const Shape& shape, std::uint32_t total, Rng& rng) {
  const std::uint32_t buckets = total / shape.slots;
  CuckooTable table(buckets, shape.slots, shape.hashes);
  std::vector<std::uint32_t> key;
  do {
    key.clear();
    while (key.size() < shape.hashes) {
      const auto bucket = static_cast<std::uint32_t>(rng.below(buckets));
      if (std::ranges::find(key, bucket) == key.end()) key.push_back(bucket);
    }
  } while (table.insert(key));
  return {table.load()};
}

Plan plan_cuckoo(const PlanOptions& options) {
  Plan plan(options);
  // Below scale 1 the tables are smaller, too: down to 50,000 slots.
  const auto total = static_cast<std::uint32_t>(kSlots * std::clamp(options.scale, 0.05, 1.0));
  std::vector<CellId> cells;
  for (const Shape& shape : kShapes) {
    cells.push_back(plan.cell(fmt::format("{} hashes, {} slots", shape.hashes, shape.slots), 2, 2,
                              [shape, total](Rng& rng) { return fill(shape, total, rng); }));
  }
  const CellId plain =
      plan.cell("2 hashes, 1 slot", 8, 0.2, [total](Rng& rng) { return fill({2, 1}, total, rng); });
  plan.judge([cells, plain](const Results& results, Report& report) {
    report.within("load at failure, 2 hashes, 1 slot", results.mean(plain), 0.504, 0.01,
                  "threshold 0.5 + O(n^(-1/3)): see docs/theory.md");
    for (std::size_t i = 0; i < std::size(kShapes); ++i) {
      const auto [hashes, slots] = kShapes[i];
      const double threshold = theory::cuckoo_threshold(hashes, slots);
      report.between(fmt::format("load at failure, {} hashes, {} slot{}", hashes, slots,
                                 slots == 1 ? "" : "s"),
                     results.mean(cells[i]), threshold - 0.01, threshold + 0.002,
                     fmt::format("threshold {:.5f}", threshold));
    }
  });
  return plan;
}

}  // namespace

Experiment cuckoo() {
  return {.id = "E33",
          .name = "cuckoo",
          .summary = "cuckoo tables: how full before a key cannot be placed",
          .source = "Fountoulakis, Panagiotou 2012; Walzer 2018",
          .conventions = {.sampling = "a key's buckets are distinct",
                          .ties = "none: keys are moved until there is a place, if there is one",
                          .counting = "keys in the table over slots, at the first failure"},
          .seconds = 7,
          .plan = plan_cuckoo};
}

}  // namespace evener::lab::hashing
