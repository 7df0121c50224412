// Distribution: a law of non-negative numbers, as a value: work, delays, gaps, think times.
//
// Mean 1 unless a mean is given; the unit is the user's (the fleet reads seconds). Text form and
// parse() are inverse: `exp`, `const(mean=0.002)`, `h2(scv=10)`,
// `two_point(low=0.5,high=50.5,p=0.01)`, `bounded_pareto(alpha=1.5,ratio=10000)`,
// `lognormal(sigma=1)`, `uniform(low=0,high=2)`, `empirical(file=PATH)`. Any thread may sample one,
// each with its own Rng. Cost of a draw: 2 ns for exp, up to 40 ns for those with powers.
#pragma once

#include <evener/error.h>
#include <evener/rng.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/luck.h"

namespace evener::sim {

class Distribution {
 public:
  // Always 0.
  Distribution() : Distribution(Kind::kConstant) {}

  // REQUIRES, for all: a mean that is finite and >= 0.
  static Distribution exponential(double mean = 1);
  static Distribution constant(double value = 1);
  // Two exponentials with balanced means. REQUIRES: scv >= 1, the squared coefficient of variation.
  static Distribution hyperexponential(double scv, double mean = 1);
  // `high` with probability p, else `low`. REQUIRES: 0 <= low <= high; 0 <= p <= 1.
  static Distribution two_point(double low, double high, double p);
  // Density ~ x^(-alpha-1) on [L, ratio L]. REQUIRES: alpha > 0, ratio > 1.
  static Distribution bounded_pareto(double alpha, double ratio, double mean = 1);
  // The logarithm is normal. REQUIRES: sigma >= 0.
  static Distribution lognormal(double sigma, double mean = 1);
  // REQUIRES: 0 <= low <= high.
  static Distribution uniform(double low, double high);
  // Each of the numbers equally often. `source` is what text() names.
  // REQUIRES: not empty; finite, not negative.
  static Distribution empirical(std::vector<double> values, std::string source);

  // Errors say what was expected, what was found and what to write.
  static std::expected<Distribution, Error> parse(std::string_view text);
  // Numbers divided by white space or commas; what follows a # in a line is ignored.
  static std::expected<std::vector<double>, Error> parse_numbers(std::string_view text,
                                                                 std::string_view source);

  double sample(Rng& rng) const {
    if (kind_ == Kind::kExponential) return scale_ * sim::exponential(rng);
    if (kind_ == Kind::kConstant) return scale_;
    return sample_other(rng);
  }

  double mean() const { return scale_ * unit_mean_; }
  // Variance over the mean squared; 0 when the mean is 0.
  double scv() const { return scv_; }
  bool is_zero() const { return scale_ == 0 || unit_mean_ == 0; }
  // The same shape with another mean. REQUIRES: mean() > 0.
  Distribution with_mean(double mean) const;
  std::string text() const;

 private:
  enum class Kind : std::uint8_t {
    kConstant,
    kExponential,
    kHyperexponential,
    kTwoPoint,
    kBoundedPareto,
    kLognormal,
    kUniform,
    kEmpirical,
  };
  struct Numbers {
    std::vector<double> values;
    std::string source;
  };

  explicit Distribution(Kind kind) : kind_(kind) {}
  double sample_other(Rng& rng) const;

  Kind kind_;
  double scale_ = 0;
  double unit_mean_ = 1;  // of what scale_ multiplies
  double scv_ = 0;
  double a_ = 0;  // what the kind makes of them
  double b_ = 0;
  double c_ = 0;
  std::shared_ptr<const Numbers> numbers_;
};

}  // namespace evener::sim
