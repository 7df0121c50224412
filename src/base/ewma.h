// Ewma: one number that follows samples over elapsed time, and reads that change nothing.
//
// Mean: v' = v + w (x - v), w = (1 - e^(-dt/tau)) / mass, where dt is the time since the last
// sample and mass the weight gathered so far (so the first second is an ordinary time average,
// not a memory of the first sample). Peak: the larger of the decayed value and the sample, else
// the mean rule; a decaying maximum, as Finagle's PeakEwma.
// A sample counts for the time it stands for, never per sample: ten times the samples of the same
// distribution give the same mean. Time that runs backwards counts as no time. NaN, infinite and
// negative samples are refused. Owned by one thread. Cost: one multiplication chain, one division
// while young; no exp(). 24 bytes, 20 of them used.
#pragma once

#include <evener/time.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace evener {

// e^(-z) for 0 <= z <= kOldest, relative error below 1e-6. Neither calls nor branches.
inline constexpr double kOldest = 700;
inline double exp_negative_below(double z) {
  const double x = z * -1.4426950408889634;  // log2(e)
  // The nearest whole number: what lies below the point does not fit in. No call, no branch.
  constexpr double kShift = 0x1.8p52;
  const double whole = (x + kShift) - kShift;
  const double f = (x - whole) * 0.6931471805599453;  // |f| <= 0.3466
  const double series =
      1 + f * (1 + f * (0.5 + f * (1.0 / 6 + f * (1.0 / 24 + f * (1.0 / 120 + f * (1.0 / 720))))));
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x + kShift) + 1023;
  return series * std::bit_cast<double>(bits << 52);
}

// The same for all z >= 0; 0 beyond kOldest.
inline double exp_negative(double z) { return z < kOldest ? exp_negative_below(z) : 0.0; }

// 1 - e^(-z) for 0 <= z < kSoon: samples usually follow each other closely.
inline constexpr double kSoon = 0x1p-10;
inline double one_minus_exp_soon(double z) { return z * (1 - z * 0.5); }

// 1 - e^(-z) for z >= 0; relative error below 1e-5, for tiny z too.
inline double one_minus_exp_negative(double z) {
  if (z < kSoon) return one_minus_exp_soon(z);
  if (z < 0.25) return z * (1 - z * (0.5 - z * (1.0 / 6 - z * (1.0 / 24 - z * (1.0 / 120)))));
  return 1 - exp_negative(z);
}

class Ewma {
 public:
  // How fast the past fades. REQUIRES: tau > 0.
  class Decay {
   public:
    explicit Decay(Duration tau) : per_ns_(1.0 / static_cast<double>(tau.ns())) {}
    double kept(Duration dt) const { return exp_negative(elapsed(dt)); }
    double lost(Duration dt) const { return one_minus_exp_negative(elapsed(dt)); }

    // In units of tau.
    double elapsed(Duration dt) const {
      return static_cast<double>(std::max<std::int64_t>(dt.ns(), 0)) * per_ns_;
    }
    double per_ns() const { return per_ns_; }

   private:
    double per_ns_;
  };

  // Whether any sample was taken.
  bool known() const { return mass_ > 0; }
  // The value as of the last sample; 0 while unknown.
  double value() const { return value_; }
  Time stamp() const { return stamp_; }

  // How much of its memory is filled, in [0, 1]; what restore() takes back.
  float mass() const { return mass_; }
  // As it was when value(), stamp() and mass() were read, on any clock. False: refused.
  bool restore(double value, Time stamp, float mass) {
    if (!valid(value) || !(mass >= 0 && mass <= 1)) return false;
    value_ = value;
    stamp_ = stamp;
    mass_ = mass;
    return true;
  }

  // The value now: what exceeds `rest` has decayed toward it; what is below stays.
  // REQUIRES: known().
  double at(Time now, double rest, const Decay& decay) const {
    if (value_ <= rest) return value_;
    return rest + (value_ - rest) * decay.kept(now - stamp_);
  }

  // A sample x at `now`. The first stands for the time `span`. False: refused.
  [[gnu::always_inline]] bool add_mean(double x, Time now, Duration span, const Decay& decay) {
    if (!valid(x)) return false;
    if (!known()) return seed(x, now, span, decay);
    const double lost = decay.lost(now - stamp_);
    move(x, lost, now);
    return true;
  }

  // The usual case of add_mean, in line: known, and not long ago. False: nothing was done.
  [[gnu::always_inline]] bool add_usual_mean(double x, Time now, const Decay& decay) {
    const double z = decay.elapsed(now - stamp_);
    if (!known() || !valid(x) || !(z < kSoon)) return false;
    move(x, one_minus_exp_soon(z), now);
    return true;
  }

  // As add_mean, but a sample above the value decayed to `now` replaces it.
  bool add_peak(double x, Time now, const Decay& decay) {
    if (!valid(x)) return false;
    if (!known() || x >= value_ * decay.kept(now - stamp_)) {
      value_ = x;
      mass_ = 1;
      stamp_ = known() ? std::max(stamp_, now) : now;
      return true;
    }
    move(x, decay.lost(now - stamp_), now);
    return true;
  }

 private:
  static bool valid(double x) { return x >= 0 && x < 1e300; }

  bool seed(double x, Time now, Duration span, const Decay& decay) {
    value_ = x;
    mass_ = static_cast<float>(std::max(decay.lost(span), 1e-9));
    stamp_ = now;
    return true;
  }

  void move(double x, double lost, Time now) {
    if (mass_ < 0.9999F) {
      const double mass = static_cast<double>(mass_) * (1 - lost) + lost;
      mass_ = static_cast<float>(mass);
      value_ += lost / mass * (x - value_);
    } else {
      value_ += lost * (x - value_);
    }
    stamp_ = std::max(stamp_, now);
  }

  double value_ = 0;
  Time stamp_;
  float mass_ = 0;
};

static_assert(sizeof(Ewma) == 24, "a slot has room for no more");

}  // namespace evener
