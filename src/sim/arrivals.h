// Arrivals: when calls come. A value that says how, and the running process made of it.
//
// Open: gaps of any law (exponential: Poisson; constant: a metronome), a two-state bursty Poisson
// process (MMPP), or a list of times. The rate may follow a profile over time: factors at points in
// time, straight between them. Closed: users who wait for the answer and think (the fleet runs
// them). Owned by one thread. Cost: next() is O(1), 3 ns for a steady Poisson process.
#pragma once

#include <evener/error.h>
#include <evener/rng.h>
#include <evener/time.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <vector>

#include "sim/distribution.h"

namespace evener::sim {

struct RatePoint {
  double at_s;    // seconds since the run's beginning
  double factor;  // of the rate; two points at one time make a step
};

struct Arrivals {
  enum class Kind : std::uint8_t { kOpen, kBursty, kTrace, kClosed };

  // `rate` per second; `gap` is scaled to it.
  static Arrivals poisson(double rate);
  static Arrivals steady(double rate);
  static Arrivals renewal(double rate, const Distribution& gap);
  // Poisson at `factor` times the rate of quiet times while a burst lasts; the overall rate is
  // `rate`. Bursts last `burst_s` and quiet times `quiet_s` on average, exponentially.
  static Arrivals bursty(double rate, double factor, double burst_s, double quiet_s);
  // Seconds since the beginning, ascending.
  static Arrivals trace(std::vector<double> times_s);
  static Arrivals closed(std::uint32_t users, const Distribution& think);

  std::expected<void, Error> check() const;
  // Calls per second on average before the profile; 0 for closed ones and traces of one call.
  double mean_rate() const;

  Kind kind = Kind::kOpen;
  double rate = 0;                                 // open, bursty
  Distribution gap = Distribution::exponential();  // open: of mean 1
  double burst_factor = 1;                         // bursty
  double burst_s = 0;
  double quiet_s = 0;
  std::shared_ptr<const std::vector<double>> times_s;  // trace
  std::uint32_t users = 0;                             // closed
  Distribution think;                                  // closed, seconds
  std::vector<RatePoint> profile;                      // open and bursty; empty: 1 throughout
};

class ArrivalProcess {
 public:
  // REQUIRES: arrivals.check() succeeds; not closed.
  ArrivalProcess(const Arrivals& arrivals, Rng rng);

  // The next call's time, not before the last one's; Time::never() when no more come.
  Time next();

 private:
  double steady_rate_until(double& end_s);
  double advance(double amount);

  Arrivals arrivals_;
  Rng rng_;
  double now_s_ = 0;
  bool simple_;  // constant rate
  double inverse_rate_ = 0;
  bool burst_ = false;
  double switch_s_ = 0;      // bursty: when the state changes
  std::size_t segment_ = 0;  // of the profile
  std::size_t next_ = 0;     // trace
};

}  // namespace evener::sim
