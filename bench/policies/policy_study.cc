// policy_study: the time in system that each policy of the catalog gives, in virtual time.
//
// 100 FCFS servers, exponential work of mean 1 (10 ms), Poisson arrivals, balancers that see only
// their own requests, each request with a key of its own. Cases: equal servers at load 0.8 before
// one balancer and before ten; ten of the hundred ten times slower, ten balancers, load 0.6 of what
// all can do. Mean and 99th percentile in units of the mean work, median over the seeds [least to
// most]. The same seeds give the same figures on every machine: those of docs/policies.md.
//
//   policy_study [SEEDS]
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "balance/fleet_test.h"
#include "balance/traffic_test.h"

namespace {

using namespace evener;

constexpr double kWork = 0.01;  // s
constexpr std::size_t kServers = 100;

struct Case {
  const char* name;
  std::size_t balancers;
  std::size_t slow;
  double load;
};
constexpr Case kCases[] = {{"equal, 1 balancer", 1, 0, 0.8},
                           {"equal, 10 balancers", 10, 0, 0.8},
                           {"10 slow, 10 balancers", 10, 10, 0.6}};

struct Row {
  std::string name;
  PolicySettings settings;
};

struct Result {
  double mean;
  double p99;
};

Result run(const PolicySettings& settings, const Case& c, std::uint64_t seed) {
  const auto work = [&c](std::size_t server, double, Rng& rng) {
    return exponential(rng, kWork) * (server < c.slow ? 10 : 1);
  };
  Fleet fleet({.policy = settings}, c.balancers, kServers, work, seed);
  const double capacity =
      static_cast<double>(kServers - c.slow) + static_cast<double>(c.slow) * 0.1;
  const double rate = c.load * capacity / kWork;
  fleet.run_open(5, rate);
  fleet.take_times();
  fleet.run_open(20, rate);
  const std::vector<double> times = fleet.take_times();
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  return {sum / static_cast<double>(times.size()) / kWork, quantile(times, 0.99) / kWork};
}

std::string spread(std::vector<double> values) {
  std::ranges::sort(values);
  return fmt::format("{:.2f} [{:.2f}-{:.2f}]", values[values.size() / 2], values.front(),
                     values.back());
}

std::vector<Row> rows() {
  std::vector<Row> out;
  for (const PolicyInfo& info : policy_catalog()) {
    PolicySettings settings;
    settings.name = info.name;
    out.push_back({settings.name, settings});
    if (info.name != "peak_ewma") continue;
    for (const std::uint32_t choices : {2U, 8U}) {
      settings.choices = choices;
      out.push_back({fmt::format("peak_ewma, choices {}", choices), settings});
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 3;
  fmt::print("| policy |");
  for (const Case& c : kCases) fmt::print(" {}: mean | p99 |", c.name);
  fmt::print("\n| --- |");
  for (std::size_t i = 0; i < std::size(kCases); ++i) fmt::print(" --- | --- |");
  fmt::print("\n");
  for (const Row& row : rows()) {
    fmt::print("| {} |", row.name);
    for (const Case& c : kCases) {
      std::vector<double> means;
      std::vector<double> tails;
      for (std::uint64_t seed = 1; seed <= std::max<std::uint64_t>(seeds, 1); ++seed) {
        const Result result = run(row.settings, c, seed);
        means.push_back(result.mean);
        tails.push_back(result.p99);
      }
      fmt::print(" {} | {} |", spread(means), spread(tails));
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
}
