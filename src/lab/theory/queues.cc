#include "lab/theory/queues.h"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/binomial.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace evener::lab::theory {
namespace {

void check_load(double load) { EV_CHECK(load > 0 && load < 1, "a load is between 0 and 1"); }

double choose(std::size_t n, std::size_t k) {
  return boost::math::binomial_coefficient<double>(static_cast<unsigned>(n),
                                                   static_cast<unsigned>(k));
}

}  // namespace

double erlang_c_time(std::size_t n, double load) {
  check_load(load);
  const double offered = static_cast<double>(n) * load;
  // Erlang's B by its recurrence, then C from B.
  double blocked = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    blocked = offered * blocked / (static_cast<double>(i) + offered * blocked);
  }
  const double waits = blocked / (1 - load * (1 - blocked));
  return 1 + waits / (static_cast<double>(n) * (1 - load));
}

double round_robin_time(std::size_t n, double load) {
  check_load(load);
  const auto servers = static_cast<double>(n);
  // An arrival finds a server busy with probability s, s = A(1 - s), A being the transform of the
  // time between its arrivals. s = 1 always solves it; the queue's is the root below.
  const auto excess = [&](double s) {
    return std::exp(-servers * std::log1p((1 - s) / (servers * load))) - s;
  };
  std::uintmax_t steps = 200;
  const auto [low, high] = boost::math::tools::toms748_solve(
      excess, 0.0, 1 - (1 - load) * 0.1, boost::math::tools::eps_tolerance<double>(50), steps);
  return 1 / (1 - (low + high) / 2);
}

double pollaczek_khinchine_time(double load, double second_moment) {
  check_load(load);
  return 1 + load * second_moment / (2 * (1 - load));
}

double least_work_time(double load, std::size_t choices) {
  check_load(load);
  EV_CHECK(choices >= 2, "least work of two or more");
  const auto d = static_cast<double>(choices);
  const auto waits_longer = [&](double w) {
    const double grown = (std::pow(load, 1 - d) - load) * std::exp((d - 1) * w);
    return std::pow(load + grown, d / (1 - d));
  };
  using Rule = boost::math::quadrature::gauss_kronrod<double, 31>;
  return 1 + Rule::integrate(waits_longer, 0.0, std::numeric_limits<double>::infinity(), 15, 1e-12);
}

double redundancy_time(std::size_t n, std::size_t copies, double load) {
  check_load(load);
  EV_CHECK(copies >= 1 && copies <= n, "copies go to distinct servers");
  const auto servers = static_cast<double>(n);
  double sum = 0;
  for (std::size_t i = copies; i <= n; ++i) {
    const double rate = servers * choose(n - 1, copies - 1) / choose(i - 1, copies - 1);
    sum += 1 / (rate - servers * load);
  }
  return sum;
}

double join_idle_time(double load, double servers) {
  check_load(load);
  const double idle = servers * (1 - load);
  const double found = idle / (1 + idle);  // a dispatcher knows of an idle server
  return 1 / (1 - load * (1 - found));
}

double stable_load(std::size_t n, std::size_t slow, double speed, std::size_t choices) {
  EV_CHECK(slow >= 1 && slow <= n && choices <= n && speed > 0, "some of n servers are slow");
  const double slow_capacity = static_cast<double>(slow) * speed;
  const double capacity = slow_capacity + static_cast<double>(n - slow);
  if (choices > slow) return 1;
  const double all_slow = choose(slow, choices) / choose(n, choices);
  return std::min(1.0, slow_capacity / (capacity * all_slow));
}

double slowest_of(std::size_t n) {
  double sum = 0;
  for (std::size_t i = n; i > 0; --i) sum += 1 / static_cast<double>(i);
  return sum;
}

}  // namespace evener::lab::theory
