#include "lab/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"
#include "lab/experiment.h"
#include "lab/parallel.h"
#include "sim/fleet.h"

namespace evener::lab {
namespace {

constexpr double kCallsMax = 1e7;

std::uint32_t fewest(const PlanQuestion& question) {
  const double busy = question.rate * question.work.mean() / question.slots;
  return static_cast<std::uint32_t>(busy) + 1;
}

// What nobody can be faster than: the call's own work and the way.
double p99_without_queues(const PlanQuestion& question) {
  constexpr int kDraws = 200'000;
  Rng rng = replication_rng(question.seed, "plan", "without queues", 0);
  std::vector<double> times;
  for (int i = 0; i < kDraws; ++i) {
    times.push_back(question.work.sample(rng) + question.delay.sample(rng) +
                    question.delay.sample(rng));
  }
  return quantile(std::move(times), 0.99);
}

class Search {
 public:
  Search(const PlanQuestion& question, const Contender& contender, unsigned jobs,
         const std::function<void()>& progress)
      : question_(question), contender_(contender), jobs_(jobs), progress_(progress) {}

  PlanAnswer run() {
    PlanAnswer out;
    out.policy = contender_.text;
    out.endpoints = least([this](const PlanPoint& point) {
      return point.p99_s.value + point.p99_s.half_width <= question_.p99_s;
    });
    out.perhaps = out.endpoints == 0 ? 0 : least([this](const PlanPoint& point) {
      return point.p99_s.value - point.p99_s.half_width <= question_.p99_s;
    });
    for (const auto& [n, point] : points_) out.points.push_back(point);
    return out;
  }

 private:
  // The least number of endpoints for which it holds, in doubling steps and halving ones.
  template <typename Holds>
  std::uint32_t least(Holds&& holds) {
    const std::uint32_t first = fewest(question_);
    std::uint32_t low = first;  // below it is overload
    std::uint32_t step = std::max(1U, first / 16);
    std::uint32_t high = first;
    while (!holds(at(high))) {
      low = high + 1;
      if (high >= kPlanMax) return 0;
      high = std::min(kPlanMax, high + step);
      step *= 2;
    }
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (holds(at(middle))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return high;
  }

  const PlanPoint& at(std::uint32_t endpoints) {
    const auto known = points_.find(endpoints);
    if (known != points_.end()) return known->second;
    std::vector<double> p99(question_.runs);
    std::vector<double> means(question_.runs);
    for_each_index(question_.runs, jobs_, [&](std::size_t run) {
      const sim::FleetResult result = simulate(endpoints, run);
      p99[run] = result.stopped.empty() ? result.times.quantile_s(0.99) : HUGE_VAL;
      means[run] = result.times.mean_s();
    });
    if (progress_) progress_();
    PlanPoint point{.endpoints = endpoints,
                    .load = question_.rate * question_.work.mean() /
                            (static_cast<double>(endpoints) * question_.slots),
                    .p99_s = mean_of_runs(p99),
                    .mean_s = mean_of_runs(means)};
    return points_.emplace(endpoints, point).first->second;
  }

  sim::FleetResult simulate(std::uint32_t endpoints, std::size_t run) const {
    sim::FleetOptions options;
    options.seed = replication_rng(question_.seed, "plan", fmt::format("{}", endpoints), run).u64();
    options.servers = {{.count = endpoints, .spec = {.slots = question_.slots}}};
    options.balancers = question_.balancers;
    options.chooser = contender_.chooser;
    options.tick_every = Duration::milliseconds(5);
    options.arrivals = sim::Arrivals::poisson(question_.rate);
    options.work = question_.work;
    options.delay_out = question_.delay;
    options.delay_back = question_.delay;
    // Long enough for queues to settle where the load is high.
    options.warm_up_calls = std::max<std::uint64_t>(question_.calls / 4, 20ULL * endpoints);
    options.calls = options.warm_up_calls + question_.calls;
    const auto result = sim::run_fleet(options);
    EV_CHECK(result.has_value(), result.error().message);
    return *result;
  }

  const PlanQuestion& question_;
  const Contender& contender_;
  unsigned jobs_;
  const std::function<void()>& progress_;
  std::map<std::uint32_t, PlanPoint> points_;
};

}  // namespace

std::expected<void, Error> check(const PlanQuestion& question) {
  const auto wrong = [](std::string what) { return std::unexpected(Error{std::move(what)}); };
  if (!(question.rate > 0 && question.rate <= 1e9)) {
    return wrong(fmt::format("rate: expected above 0, at most 1e9 calls a second, found {:g}",
                             question.rate));
  }
  if (!(question.work.mean() > 0)) return wrong("work: expected a mean above 0, in seconds");
  if (question.slots < 1) return wrong("slots: expected at least 1");
  if (question.balancers < 1 || question.balancers > 10'000) {
    return wrong(fmt::format("balancers: expected 1 to 10000, found {}", question.balancers));
  }
  if (question.runs < 2 || question.runs > 1000) {
    return wrong(fmt::format("runs: expected 2 to 1000, found {}", question.runs));
  }
  if (question.calls < 1000 || static_cast<double>(question.calls) > kCallsMax) {
    return wrong(fmt::format("calls: expected 1000 to {:g}, found {}", kCallsMax, question.calls));
  }
  if (fewest(question) > kPlanMax) {
    return wrong(
        fmt::format("the rate keeps {} endpoints busy, more than the {} that this looks "
                    "at: plan a part of it",
                    fewest(question), kPlanMax));
  }
  const double least = p99_without_queues(question);
  if (!(question.p99_s > least)) {
    return wrong(
        fmt::format("no number of endpoints gives a p99 of {:g} s: without any queue it "
                    "is {:.4g} s, the work's and the delay's own",
                    question.p99_s, least));
  }
  return {};
}

PlanAnswer plan(const PlanQuestion& question, const Contender& contender, unsigned jobs,
                const std::function<void()>& progress) {
  return Search(question, contender, jobs, progress).run();
}

}  // namespace evener::lab
