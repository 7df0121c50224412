#include "lab/theory/balls.h"

#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/roots.hpp>
#include <boost/numeric/odeint/integrate/integrate_n_steps.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <cmath>

#include "base/check.h"

namespace evener::lab::theory {
namespace {

using State = std::vector<double>;

// From 0 to t, in steps that keep the error below what any test could see.
template <typename Drift>
void integrate(Drift&& drift, State& state, double t) {
  constexpr std::size_t kStepsEach = 3000;
  const auto steps = static_cast<std::size_t>(std::ceil(kStepsEach * std::max(1.0, t / 10)));
  boost::numeric::odeint::integrate_n_steps(boost::numeric::odeint::runge_kutta4<State>(), drift,
                                            state, 0.0, t / static_cast<double>(steps), steps);
}

// Where a rising function crosses zero.
template <typename Function>
double root(Function&& function, double low, double high) {
  std::uintmax_t steps = 300;
  const auto [a, b] = boost::math::tools::bisect(
      function, low, high, boost::math::tools::eps_tolerance<double>(50), steps);
  return (a + b) / 2;
}

}  // namespace

std::vector<double> ball_tails(std::size_t choices, double t, std::size_t highest) {
  EV_CHECK(choices >= 1 && t > 0, "balls, and a choice");
  const auto d = static_cast<double>(choices);
  State s(highest + 1);
  s[0] = 1;
  integrate(
      [d](const State& x, State& change, double) {
        change[0] = 0;
        for (std::size_t k = 1; k < x.size(); ++k) {
          change[k] = std::pow(x[k - 1], d) - std::pow(x[k], d);
        }
      },
      s, t);
  return s;
}

std::vector<double> go_left_tails(std::size_t choices, double t, std::size_t highest) {
  EV_CHECK(choices >= 2 && t > 0, "balls, and groups");
  const std::size_t levels = highest + 1;
  State s(choices * levels);
  for (std::size_t group = 0; group < choices; ++group) s[group * levels] = 1;
  integrate(
      [choices, levels](const State& x, State& change, double) {
        for (std::size_t group = 0; group < choices; ++group) {
          change[group * levels] = 0;
          for (std::size_t k = 1; k < levels; ++k) {
            // A bin of k - 1 wins where those to its left have more, those to its right no fewer.
            double wins = static_cast<double>(choices);
            for (std::size_t other = 0; other < choices; ++other) {
              if (other != group) wins *= x[other * levels + (other < group ? k : k - 1)];
            }
            change[group * levels + k] = wins * (x[group * levels + k - 1] - x[group * levels + k]);
          }
        }
      },
      s, t);
  std::vector<double> all(levels);
  for (std::size_t i = 0; i < s.size(); ++i) {
    all[i % levels] += s[i] / static_cast<double>(choices);
  }
  return all;
}

std::vector<double> fullest_distribution(const std::vector<double>& tails, double n) {
  std::vector<double> out(tails.size());
  double below = 0;
  for (std::size_t k = 0; k + 1 < tails.size(); ++k) {
    const double none_above = std::exp(-n * tails[k + 1]);
    out[k] = none_above - below;
    below = none_above;
  }
  return out;
}

double mean_of(const std::vector<double>& distribution) {
  double sum = 0;
  for (std::size_t k = 0; k < distribution.size(); ++k) {
    sum += static_cast<double>(k) * distribution[k];
  }
  return sum;
}

namespace {

// A product of power series, up to x^(size - 1).
std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j + i < a.size(); ++j) out[i + j] += a[i] * b[j];
  }
  return out;
}

// P(no bin above k): the coefficient of x^m in (sum_{i<=k} x^i / i!)^n, times m! / n^m.
double none_above(std::size_t n, std::size_t m, std::size_t k) {
  std::vector<double> power(m + 1);
  for (std::size_t i = 0; i <= std::min(k, m); ++i) {
    power[i] = 1 / std::tgamma(static_cast<double>(i) + 1);
  }
  std::vector<double> all(m + 1);
  all[0] = 1;
  for (std::size_t left = n; left > 0; left /= 2) {
    if (left % 2 == 1) all = product(all, power);
    if (left > 1) power = product(power, power);
  }
  const auto balls = static_cast<double>(m);
  return all[m] *
         std::exp(boost::math::lgamma(balls + 1) - balls * std::log(static_cast<double>(n)));
}

}  // namespace

std::vector<double> fullest_of_one_choice(std::size_t n, std::size_t m, std::size_t highest) {
  std::vector<double> out(highest + 1);
  double below = 0;
  for (std::size_t k = 0; k <= highest; ++k) {
    const double now = none_above(n, m, k);
    out[k] = now - below;
    below = now;
  }
  return out;
}

double one_choice_gap(double n, double mean) {
  double sum = 0;
  for (std::size_t k = 0;; ++k) {
    // P(Poisson(mean) > k) is the regularised lower gamma function.
    const double above = boost::math::gamma_p(static_cast<double>(k) + 1, mean);
    const double some = -std::expm1(n * std::log1p(-above));
    sum += some;
    if (static_cast<double>(k) > mean && some < 1e-9) return sum - mean;
  }
}

double gonnet_fullest(double n) {
  const double target = std::log(n);
  return root([target](double x) { return boost::math::lgamma(x) - target; }, 2.0, 300.0) - 1.5;
}

double go_left_base(std::size_t choices) {
  const auto d = static_cast<double>(choices);
  // The sum is (x^d - 1) / (x - 1).
  return root([d](double x) { return std::pow(x, d) - (std::pow(x, d) - 1) / (x - 1); }, 1.0001,
              2.0);
}

double cuckoo_threshold(std::size_t hashes, std::size_t slots) {
  EV_CHECK(hashes >= 2 && slots >= 1, "two hashes, and a slot");
  if (hashes == 2 && slots == 1) return 0.5;
  const auto k = static_cast<double>(hashes);
  const auto l = static_cast<double>(slots);
  // P(Poisson(x) >= j) = gamma_p(j, x). At the threshold the core's mean degree is k l.
  const double x = root(
      [k, l](double y) {
        return y * boost::math::gamma_p(l, y) / boost::math::gamma_p(l + 1, y) - k * l;
      },
      1e-3, 200.0);
  return x / (k * std::pow(boost::math::gamma_p(l, x), k - 1) * l);
}

}  // namespace evener::lab::theory
