#include "sim/arrivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace evener::sim {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();
// What fits into Time with room to spare.
constexpr double kLast_s = 4e9;

std::unexpected<Error> wrong(std::string what) {
  return std::unexpected(Error{"arrivals: " + std::move(what)});
}

// How long until the integral of `factor` + `slope` t is `amount`; forever if it never is.
double time_for(double amount, double factor, double slope) {
  if (std::abs(slope) < 1e-300) return factor > 0 ? amount / factor : kForever;
  const double root = factor * factor + 2 * slope * amount;
  if (root < 0) return kForever;
  // The smaller positive solution, in the form that does not cancel.
  return 2 * amount / (factor + std::sqrt(root));
}

}  // namespace

Arrivals Arrivals::poisson(double rate) { return renewal(rate, Distribution::exponential()); }
Arrivals Arrivals::steady(double rate) { return renewal(rate, Distribution::constant()); }

Arrivals Arrivals::renewal(double rate, const Distribution& gap) {
  Arrivals a;
  a.rate = rate;
  a.gap = gap.with_mean(1);
  return a;
}

Arrivals Arrivals::bursty(double rate, double factor, double burst_s, double quiet_s) {
  Arrivals a = poisson(rate);
  a.kind = Kind::kBursty;
  a.burst_factor = factor;
  a.burst_s = burst_s;
  a.quiet_s = quiet_s;
  return a;
}

Arrivals Arrivals::trace(std::vector<double> times_s) {
  Arrivals a;
  a.kind = Kind::kTrace;
  a.times_s = std::make_shared<const std::vector<double>>(std::move(times_s));
  return a;
}

Arrivals Arrivals::closed(std::uint32_t users, const Distribution& think) {
  Arrivals a;
  a.kind = Kind::kClosed;
  a.users = users;
  a.think = think;
  return a;
}

std::expected<void, Error> Arrivals::check() const {
  const bool rated = kind == Kind::kOpen || kind == Kind::kBursty;
  if (rated && !(rate > 0 && rate <= 1e9)) {
    return wrong(fmt::format("rate: expected above 0 and at most 1e9 per second, found {}", rate));
  }
  if (kind == Kind::kBursty) {
    if (!(burst_factor > 0 && burst_factor <= 1e6)) {
      return wrong(
          fmt::format("burst factor: expected above 0, at most 1e6, found {}", burst_factor));
    }
    if (!(burst_s > 0 && quiet_s > 0)) {
      return wrong(fmt::format(
          "bursts and quiet times: expected lengths above 0 s, found {} and {}", burst_s, quiet_s));
    }
  }
  if (kind == Kind::kTrace) {
    if (times_s == nullptr || times_s->empty())
      return wrong("trace: expected at least one time, found none");
    double last = 0;
    for (const double t : *times_s) {
      if (!(t >= last && t <= kLast_s)) {
        return wrong(
            fmt::format("trace: expected ascending seconds up to {}, found {} after {}; "
                        "sort them and subtract the first",
                        kLast_s, t, last));
      }
      last = t;
    }
  }
  if (kind == Kind::kClosed && (users < 1 || users > 10'000'000)) {
    return wrong(fmt::format("users: expected 1 to 10000000, found {}", users));
  }
  if (!rated && !profile.empty()) return wrong("a rate profile needs arrivals that have a rate");
  double last = 0;
  for (const RatePoint& point : profile) {
    if (!(point.at_s >= last && point.at_s <= kLast_s && point.factor >= 0 &&
          point.factor <= 1e6)) {
      return wrong(
          fmt::format("profile: expected ascending times and factors from 0 to 1e6, found "
                      "factor {} at {} s after {} s",
                      point.factor, point.at_s, last));
    }
    last = point.at_s;
  }
  return {};
}

double Arrivals::mean_rate() const {
  if (kind == Kind::kOpen || kind == Kind::kBursty) return rate;
  if (kind != Kind::kTrace || times_s->back() <= 0) return 0;
  return static_cast<double>(times_s->size()) / times_s->back();
}

ArrivalProcess::ArrivalProcess(const Arrivals& arrivals, Rng rng)
    : arrivals_(arrivals),
      rng_(rng),
      simple_(arrivals.kind == Arrivals::Kind::kOpen && arrivals.profile.empty()) {
  EV_CHECK(arrivals.check().has_value() && arrivals.kind != Arrivals::Kind::kClosed,
           "checked by the caller");
  if (arrivals.rate > 0) inverse_rate_ = 1 / arrivals.rate;
  if (arrivals.kind == Arrivals::Kind::kBursty) {
    burst_ = rng_.uniform01() * (arrivals.burst_s + arrivals.quiet_s) < arrivals.burst_s;
    switch_s_ = exponential(rng_) * (burst_ ? arrivals.burst_s : arrivals.quiet_s);
  }
}

Time ArrivalProcess::next() {
  if (simple_) [[likely]] {
    now_s_ += arrivals_.gap.sample(rng_) * inverse_rate_;
  } else if (arrivals_.kind == Arrivals::Kind::kTrace) {
    if (next_ == arrivals_.times_s->size()) return Time::never();
    now_s_ = (*arrivals_.times_s)[next_++];
  } else {
    now_s_ = advance(arrivals_.gap.sample(rng_) * inverse_rate_);
  }
  if (!(now_s_ <= kLast_s)) return Time::never();
  return Time() + Duration::from_seconds(now_s_);
}

// The state's factor, constant until `end_s`.
double ArrivalProcess::steady_rate_until(double& end_s) {
  end_s = kForever;
  if (arrivals_.kind != Arrivals::Kind::kBursty) return 1;
  while (now_s_ >= switch_s_) {
    burst_ = !burst_;
    switch_s_ += exponential(rng_) * (burst_ ? arrivals_.burst_s : arrivals_.quiet_s);
  }
  end_s = switch_s_;
  const double quiet = (arrivals_.burst_s + arrivals_.quiet_s) /
                       (arrivals_.burst_s * arrivals_.burst_factor + arrivals_.quiet_s);
  return burst_ ? quiet * arrivals_.burst_factor : quiet;
}

// When the integral of the rate's factor from now on reaches `amount`.
double ArrivalProcess::advance(double amount) {
  const std::vector<RatePoint>& profile = arrivals_.profile;
  for (;;) {
    while (segment_ < profile.size() && profile[segment_].at_s <= now_s_) ++segment_;
    double factor = 1;
    double slope = 0;
    double end = kForever;
    if (!profile.empty()) {
      // Before the first point its factor holds, after the last one the last.
      factor = segment_ == 0 ? profile[0].factor : profile[segment_ - 1].factor;
      if (segment_ < profile.size()) end = profile[segment_].at_s;
      if (segment_ > 0 && segment_ < profile.size()) {
        const RatePoint& from = profile[segment_ - 1];
        slope = (profile[segment_].factor - from.factor) / (end - from.at_s);
        factor = std::max(0.0, from.factor + slope * (now_s_ - from.at_s));
      }
    }
    // Bursts come and go for ever, calls do not.
    if (factor == 0 && end == kForever) return kForever;
    double state_end = kForever;
    const double state = steady_rate_until(state_end);
    end = std::min(end, state_end);
    const double needed = time_for(amount, factor * state, slope * state);
    if (now_s_ + needed <= end) return now_s_ + needed;
    if (end == kForever) return kForever;
    const double length = end - now_s_;
    amount = std::max(0.0, amount - state * (factor + slope * length / 2) * length);
    now_s_ = end;
  }
}

}  // namespace evener::sim
