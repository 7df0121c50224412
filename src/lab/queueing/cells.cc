#include "lab/queueing/cells.h"

#include <cmath>
#include <utility>

#include "base/check.h"
#include "sim/balancer_chooser.h"

namespace evener::lab::queueing {
namespace {

// Calls per second of one core, about; for the progress line.
constexpr double kSpeed = 3.5e6;

double capacity(const sim::FleetOptions& options) {
  double sum = 0;
  for (const sim::ServerGroup& group : options.servers) {
    sum += group.count * group.spec.speed * group.spec.slots;
  }
  return sum;
}

Sample run_once(sim::FleetOptions options, Rng& rng, const ChooserMaker& make) {
  options.seed = rng.u64();
  if (make) options.chooser = make(options);
  const sim::FleetResult r = sim::Fleet(options).run();
  EV_CHECK(r.stopped.empty(), r.stopped);
  Sample out(kFigures);
  out[kMean] = r.times.mean_s() / kService_s;
  const double offered = r.work_s / ((r.until_s - r.from_s) * capacity(options));
  const double expected = options.arrivals.rate * options.work.mean() / capacity(options);
  out[kExcess] = offered - expected;
  out[kP50] = r.times.quantile_s(0.5) / kService_s;
  out[kP99] = r.times.quantile_s(0.99) / kService_s;
  out[kP999] = r.times.quantile_s(0.999) / kService_s;
  for (std::uint32_t k = 0; k < 6; ++k) out[kTail1 + k] = r.tail_at(k + 1);
  out[kLongest] = r.longest_queue;
  const Settling settled = settling(r.course.parts());
  out[kWarmUp] = settled.share;
  out[kGrowth] = settled.growth;
  out[kSettled] = settled.settled ? 1 : 0;
  return out;
}

}  // namespace

sim::FleetOptions fleet(std::uint32_t n, double load, std::uint64_t calls,
                        const sim::ChooserFactory& chooser, double warm_up) {
  sim::FleetOptions options;
  options.servers = {{.count = n}};
  options.chooser = chooser;
  options.arrivals = sim::Arrivals::poisson(load * n / kService_s);
  options.work = sim::Distribution::exponential(kService_s);
  options.calls = calls;
  options.warm_up_calls = static_cast<std::uint64_t>(static_cast<double>(calls) * warm_up);
  return options;
}

sim::ChooserFactory policy(const char* name, std::uint32_t choices, bool replacement) {
  PolicySettings settings;
  settings.name = name;
  settings.choices = choices;
  settings.replacement = replacement;
  return sim::balancer_choosers(settings);
}

CellId add(Plan& plan, std::string name, std::size_t runs, const sim::FleetOptions& options,
           const ChooserMaker& make) {
  const double seconds = static_cast<double>(options.calls) / kSpeed;
  const CellId cell = plan.cell(std::move(name), runs, seconds,
                                [options, make](Rng& rng) { return run_once(options, rng, make); });
  plan.steady(cell, static_cast<double>(options.warm_up_calls) / static_cast<double>(options.calls),
              kWarmUp);
  return cell;
}

Estimate controlled(const Results& results, CellId cell, std::size_t figure) {
  const std::vector<double> y = results.column(cell, figure);
  const std::vector<double> x = results.column(cell, kExcess);
  constexpr std::size_t kEnough = 6;
  const std::size_t n = y.size();
  if (n < kEnough) return results.mean(cell, figure);
  const double x_mean = mean(x);
  const double y_mean = mean(y);
  double xx = 0;
  double xy = 0;
  for (std::size_t i = 0; i < n; ++i) {
    xx += (x[i] - x_mean) * (x[i] - x_mean);
    xy += (x[i] - x_mean) * (y[i] - y_mean);
  }
  if (!(xx > 0)) return results.mean(cell, figure);
  const double slope = xy / xx;
  double residual = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double e = y[i] - y_mean - slope * (x[i] - x_mean);
    residual += e * e;
  }
  const double s2 = residual / static_cast<double>(n - 2);
  const double at_zero = s2 * (1 / static_cast<double>(n) + x_mean * x_mean / xx);
  return {y_mean - slope * x_mean, student_t95(n - 2) * std::sqrt(at_zero), n};
}

}  // namespace evener::lab::queueing
