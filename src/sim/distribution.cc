#include "sim/distribution.h"

#include <fmt/format.h>

#include <cmath>

#include "base/check.h"

namespace evener::sim {

Distribution Distribution::exponential(double mean) {
  Distribution d(Kind::kExponential);
  d.scale_ = mean;
  d.scv_ = 1;
  return d;
}

Distribution Distribution::constant(double value) {
  Distribution d(Kind::kConstant);
  d.scale_ = value;
  return d;
}

Distribution Distribution::hyperexponential(double scv, double mean) {
  EV_CHECK(scv >= 1, "a hyperexponential law varies at least as much as an exponential one");
  Distribution d(Kind::kHyperexponential);
  d.scale_ = mean;
  d.scv_ = scv;
  d.a_ = (1 + std::sqrt((scv - 1) / (scv + 1))) / 2;  // probability of the short kind
  d.b_ = 1 / (2 * d.a_);                              // its mean
  d.c_ = 1 / (2 * (1 - d.a_));                        // the long kind's
  return d;
}

Distribution Distribution::two_point(double low, double high, double p) {
  EV_CHECK(low >= 0 && high >= low && p >= 0 && p <= 1, "two_point: 0 <= low <= high, 0 <= p <= 1");
  Distribution d(Kind::kTwoPoint);
  d.scale_ = 1;
  d.unit_mean_ = low + (high - low) * p;
  d.scv_ = d.unit_mean_ == 0
               ? 0
               : (high - low) * (high - low) * p * (1 - p) / (d.unit_mean_ * d.unit_mean_);
  d.a_ = low;
  d.b_ = high;
  d.c_ = p;
  return d;
}

Distribution Distribution::bounded_pareto(double alpha, double ratio, double mean) {
  EV_CHECK(alpha > 0 && ratio > 1, "bounded_pareto: alpha > 0, ratio > 1");
  Distribution d(Kind::kBoundedPareto);
  const double norm = alpha / (1 - std::pow(ratio, -alpha));
  // The k-th moment for L = 1.
  const auto moment = [&](double k) {
    const double e = k - alpha;
    return norm * (std::abs(e) < 1e-12 ? std::log(ratio) : (std::pow(ratio, e) - 1) / e);
  };
  d.scale_ = mean;
  d.scv_ = moment(2) / (moment(1) * moment(1)) - 1;
  d.a_ = alpha;
  d.b_ = ratio;
  d.c_ = 1 / moment(1);  // L
  return d;
}

Distribution Distribution::lognormal(double sigma, double mean) {
  EV_CHECK(sigma >= 0, "lognormal: sigma >= 0");
  Distribution d(Kind::kLognormal);
  d.scale_ = mean;
  d.scv_ = std::expm1(sigma * sigma);
  d.a_ = sigma;
  return d;
}

Distribution Distribution::uniform(double low, double high) {
  EV_CHECK(low >= 0 && high >= low, "uniform: 0 <= low <= high");
  Distribution d(Kind::kUniform);
  d.scale_ = 1;
  d.unit_mean_ = (low + high) / 2;
  d.scv_ = d.unit_mean_ == 0 ? 0 : (high - low) * (high - low) / 12 / (d.unit_mean_ * d.unit_mean_);
  d.a_ = low;
  d.b_ = high;
  return d;
}

Distribution Distribution::empirical(std::vector<double> values, std::string source) {
  EV_CHECK(!values.empty(), "empirical: at least one number");
  Distribution d(Kind::kEmpirical);
  double sum = 0;
  double squares = 0;
  for (const double v : values) {
    sum += v;
    squares += v * v;
  }
  const auto n = static_cast<double>(values.size());
  d.scale_ = 1;
  d.unit_mean_ = sum / n;
  d.scv_ = d.unit_mean_ == 0 ? 0 : squares / n / (d.unit_mean_ * d.unit_mean_) - 1;
  d.numbers_ = std::make_shared<const Numbers>(std::move(values), std::move(source));
  return d;
}

double Distribution::sample_other(Rng& rng) const {
  switch (kind_) {
    case Kind::kHyperexponential:
      return scale_ * (rng.uniform01() < a_ ? b_ : c_) * sim::exponential(rng);
    case Kind::kTwoPoint:
      return scale_ * (rng.uniform01() < c_ ? b_ : a_);
    case Kind::kBoundedPareto:
      return scale_ * c_ * std::pow(1 - rng.uniform01() * (1 - std::pow(b_, -a_)), -1 / a_);
    case Kind::kLognormal:
      return scale_ * std::exp(a_ * normal(rng) - a_ * a_ / 2);
    case Kind::kUniform:
      return scale_ * (a_ + (b_ - a_) * rng.uniform01());
    case Kind::kEmpirical:
      return scale_ * numbers_->values[rng.below(numbers_->values.size())];
    case Kind::kConstant:
    case Kind::kExponential:
      break;
  }
  return scale_;
}

Distribution Distribution::with_mean(double mean) const {
  EV_CHECK(unit_mean_ > 0 && mean >= 0, "a law whose mean is 0 has no scale");
  Distribution d = *this;
  d.scale_ = mean / unit_mean_;
  return d;
}

std::string Distribution::text() const {
  const std::string mean = scale_ == 1 ? "" : fmt::format(",mean={}", scale_);
  switch (kind_) {
    case Kind::kConstant:
      return scale_ == 1 ? "const" : fmt::format("const(mean={})", scale_);
    case Kind::kExponential:
      return scale_ == 1 ? "exp" : fmt::format("exp(mean={})", scale_);
    case Kind::kHyperexponential:
      return fmt::format("h2(scv={}{})", scv_, mean);
    case Kind::kTwoPoint:
      return fmt::format("two_point(low={},high={},p={})", a_ * scale_, b_ * scale_, c_);
    case Kind::kBoundedPareto:
      return fmt::format("bounded_pareto(alpha={},ratio={}{})", a_, b_, mean);
    case Kind::kLognormal:
      return fmt::format("lognormal(sigma={}{})", a_, mean);
    case Kind::kUniform:
      return fmt::format("uniform(low={},high={})", a_ * scale_, b_ * scale_);
    case Kind::kEmpirical:
      return fmt::format("empirical(file={}{})", numbers_->source,
                         scale_ == 1 ? "" : fmt::format(",mean={}", scale_ * unit_mean_));
  }
  return "";
}

}  // namespace evener::sim
