#include "lab/theory/supermarket.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/check.h"

namespace evener::lab::theory {
namespace {

using Vector = std::vector<double>;

// A square matrix, rows one after the other.
class Matrix {
 public:
  explicit Matrix(std::size_t size) : size_(size), cells_(size * size) {}
  std::size_t size() const { return size_; }
  double& operator()(std::size_t i, std::size_t j) { return cells_[i * size_ + j]; }
  double operator()(std::size_t i, std::size_t j) const { return cells_[i * size_ + j]; }

 private:
  std::size_t size_;
  Vector cells_;
};

// x with a x = b, by elimination with the largest pivot of each column.
Vector solved(Matrix a, Vector b) {
  const std::size_t n = a.size();
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row) {
      if (std::abs(a(row, column)) > std::abs(a(pivot, column))) pivot = row;
    }
    EV_CHECK(a(pivot, column) != 0, "the linear system of a stable fixed point has one solution");
    std::swap(b[column], b[pivot]);
    for (std::size_t k = column; k < n; ++k) std::swap(a(column, k), a(pivot, k));
    for (std::size_t row = column + 1; row < n; ++row) {
      const double factor = a(row, column) / a(column, column);
      if (factor == 0) continue;
      for (std::size_t k = column; k < n; ++k) a(row, k) -= factor * a(column, k);
      b[row] -= factor * b[column];
    }
  }
  for (std::size_t row = n; row-- > 0;) {
    for (std::size_t k = row + 1; k < n; ++k) b[row] -= a(row, k) * b[k];
    b[row] /= a(row, row);
  }
  return b;
}

// Tails of lengths 0 to K, those above being below 1e-15.
std::vector<double> tails(double load, std::size_t choices) {
  std::vector<double> s = {1};
  while (s.back() > 1e-15) s.push_back(queue_tail(load, choices, s.size()));
  return s;
}

// Where a pair of levels stands among the unknowns of a symmetric matrix: rows of the upper
// triangle, one after the other.
class Pairs {
 public:
  explicit Pairs(std::size_t levels) : levels_(levels) {}
  std::size_t size() const { return levels_ * (levels_ + 1) / 2; }
  std::size_t operator()(std::size_t i, std::size_t j) const {
    if (i > j) std::swap(i, j);
    return i * levels_ - i * (i + 1) / 2 + j;
  }

 private:
  std::size_t levels_;
};

// The drift's derivative at the fixed point. Level i of the matrix is queue length i + 1.
Matrix jacobian(double load, double d, const std::vector<double>& s) {
  const std::size_t levels = s.size() - 1;
  Matrix a(levels);
  for (std::size_t i = 0; i < levels; ++i) {
    a(i, i) = -load * d * std::pow(s[i + 1], d - 1) - 1;
    if (i > 0) a(i, i - 1) = load * d * std::pow(s[i], d - 1);
    if (i + 1 < levels) a(i, i + 1) = 1;
  }
  return a;
}

// The covariance W of the fluctuations: A W + W A' + Q = 0, Q being the rates of single jumps.
Vector covariance(double load, double d, const std::vector<double>& s, const Matrix& a) {
  const std::size_t levels = a.size();
  const Pairs at(levels);
  Matrix m(at.size());
  Vector b(at.size());
  for (std::size_t i = 0; i < levels; ++i) {
    for (std::size_t j = i; j < levels; ++j) {
      for (std::size_t k = 0; k < levels; ++k) {
        m(at(i, j), at(k, j)) += a(i, k);
        m(at(i, j), at(i, k)) += a(j, k);
      }
    }
    const double next = i + 2 < s.size() ? s[i + 2] : 0;
    b[at(i, i)] = -(load * (std::pow(s[i], d) - std::pow(s[i + 1], d)) + s[i + 1] - next);
  }
  return solved(m, b);
}

// What 1 / n adds to the share of queues with at least 1, 2, ... jobs.
Vector refined_shift(double load, std::size_t choices) {
  EV_CHECK(choices >= 2, "one choice has no correction");
  const std::vector<double> s = tails(load, choices);
  const auto d = static_cast<double>(choices);
  const Matrix a = jacobian(load, d, s);
  const std::size_t levels = a.size();
  const Vector w = covariance(load, d, s, a);
  const Pairs at(levels);
  // Half the drift's second derivative, applied to W: it bends the mean.
  Vector bend(levels);
  const double curve = load * d * (d - 1);
  for (std::size_t i = 0; i < levels; ++i) {
    double here = -curve * std::pow(s[i + 1], d - 2) * w[at(i, i)];
    if (i > 0) here += curve * std::pow(s[i], d - 2) * w[at(i - 1, i - 1)];
    bend[i] = -here / 2;
  }
  return solved(a, bend);
}

}  // namespace

double queue_tail(double load, std::size_t choices, std::size_t length) {
  EV_CHECK(load > 0 && load < 1 && choices >= 1, "a load below one, and a choice");
  // The exponent is 1 + d + d^2 + ... of `length` terms; past 1e6 the tail is nothing.
  double exponent = 0;
  double term = 1;
  for (std::size_t i = 0; i < length && exponent < 1e9; ++i) {
    exponent += term;
    term *= static_cast<double>(choices);
  }
  return std::pow(load, exponent);
}

double supermarket_time(double load, std::size_t choices) {
  if (choices == 1) return 1 / (1 - load);
  double sum = 0;
  for (const double s : tails(load, choices)) sum += s;
  return (sum - 1) / load;
}

Refined refined_time(double load, std::size_t choices) {
  const Vector shift = refined_shift(load, choices);
  return {supermarket_time(load, choices), std::accumulate(shift.begin(), shift.end(), 0.0) / load};
}

Refined refined_tail(double load, std::size_t choices, std::size_t length) {
  EV_CHECK(length >= 1, "every queue has at least no job");
  const Vector shift = refined_shift(load, choices);
  return {queue_tail(load, choices, length), length <= shift.size() ? shift[length - 1] : 0};
}

double beta_time(double load, double beta) {
  EV_CHECK(beta >= 0 && beta <= 1, "beta is a probability");
  double sum = 0;
  for (double s = load; s > 1e-17; s = load * ((1 - beta) * s + beta * s * s)) sum += s;
  return sum / load;
}

double longest_queue(double load, std::size_t choices, double n) {
  double sum = 0;
  for (std::size_t length = 1;; ++length) {
    const double longer = -std::expm1(n * std::log1p(-queue_tail(load, choices, length)));
    sum += longer;
    if (longer < 1e-12) return sum;
  }
}

namespace {

constexpr std::size_t kLengthMost = 80;

// What becomes in one period of a server posted at `posted` that gets jobs at rate `arrivals`:
// adds weight x its distribution at the end, and returns weight x its mean length, integrated over
// the period. By uniformisation: a Poisson number of steps of the embedded chain.
double advance(std::size_t posted, double arrivals, double period, double weight,
               std::vector<double>& end) {
  const double rate = arrivals + 1;
  const double steps_mean = rate * period;
  std::vector<double> now(kLengthMost + 1);
  std::vector<double> next(kLengthMost + 1);
  now[posted] = 1;
  std::size_t low = posted;
  std::size_t high = posted;
  double area = 0;
  double log_poisson = -steps_mean;
  double done = 0;  // P(at most so many steps)
  const auto last = static_cast<std::size_t>(steps_mean + 9 * std::sqrt(steps_mean) + 20);
  for (std::size_t step = 0; step <= last; ++step) {
    const double poisson = std::exp(log_poisson);
    done += poisson;
    double length = 0;
    for (std::size_t k = low; k <= high; ++k) {
      end[k] += weight * poisson * now[k];
      length += static_cast<double>(k) * now[k];
    }
    area += weight * length * std::max(0.0, 1 - done) / rate;
    log_poisson += std::log(steps_mean) - std::log(static_cast<double>(step + 1));
    std::fill(next.begin(), next.end(), 0);
    for (std::size_t k = low; k <= high; ++k) {
      next[std::min(kLengthMost, k + 1)] += now[k] * arrivals / rate;
      next[k > 0 ? k - 1 : 0] += now[k] / rate;
    }
    now.swap(next);
    low = low > 0 ? low - 1 : 0;
    high = std::min(kLengthMost, high + 1);
  }
  return area;
}

}  // namespace

double stale_board_time(double load, std::size_t choices, double period) {
  EV_CHECK(period > 0, "a period is positive");
  const auto d = static_cast<double>(choices);
  std::vector<double> share(kLengthMost + 1);  // of servers, by queue length
  for (std::size_t k = 0; k <= kLengthMost; ++k) {
    share[k] = queue_tail(load, choices, k) - queue_tail(load, choices, k + 1);
  }
  double time = 0;
  for (int round = 0; round < 1000; ++round) {
    std::vector<double> tail(kLengthMost + 2);
    for (std::size_t k = kLengthMost + 1; k-- > 0;) tail[k] = tail[k + 1] + share[k];
    std::vector<double> end(kLengthMost + 1);
    double area = 0;
    for (std::size_t k = 0; k <= kLengthMost; ++k) {
      if (share[k] < 1e-11) continue;
      const double arrivals = load * (std::pow(tail[k], d) - std::pow(tail[k + 1], d)) / share[k];
      area += advance(k, arrivals, period, share[k], end);
    }
    double total = 0;
    for (const double part : end) total += part;
    for (std::size_t k = 0; k <= kLengthMost; ++k) share[k] = end[k] / total;
    const double last = time;
    time = area / period / load;
    if (round > 0 && std::abs(time - last) < 1e-7 * time) break;
  }
  return time;
}

}  // namespace evener::lab::theory
