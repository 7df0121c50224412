// Slot: what one worker counts about one endpoint, in one cache line.
//
// Owned and changed by the Core of one Balancer; policies read it. Everything a pick compares is
// here, so a comparison of two endpoints touches two lines. Cost of cost(): one multiplication
// chain; a division only while requests in flight are older than the estimate.
#pragma once

#include <evener/time.h>

#include <algorithm>
#include <cstdint>

#include "base/ewma.h"

namespace evener {

// Successes and failures of the present and the last window, by time, and the failures in a row.
// Exact up to 65,535 of a kind per window; beyond that both are halved, which keeps their ratio.
class SuccessWindows {
 public:
  // Failures make an endpoint at most this much costlier, however many.
  static constexpr float kMostPenalty = 1024;

  // Whether penalty() may have changed: not in the usual case of one more success and no failures.
  // `window`: its number modulo 256; an endpoint idle for exactly 256 windows keeps its old counts.
  // REQUIRES: take_successes() was called if forgets(window).
  bool add(bool success, std::uint8_t window) {
    const bool failed_before = failures() != 0 || streak_ != 0;
    turn(window);
    if (success) {
      streak_ = 0;
    } else if (streak_ < kStreakMax) {
      ++streak_;
    }
    std::uint16_t& cell = success ? good_[0] : bad_[0];
    if (cell == 0xffff) {
      good_[0] /= 2;
      bad_[0] /= 2;
      taken_ = good_[0];
    }
    ++cell;
    plan();
    return failed_before || !success;
  }

  // Whether add_usual_success() does for add(true, window): the window is the present one, the last
  // request did not fail, and penalty() stays what it was or, where some failed before, within 1 %
  // of it for each failure. Never the first success of all.
  bool is_usual(std::uint8_t window) const { return window == window_ && good_[0] < usual_until_; }
  void add_usual_success() { ++good_[0]; }

  // Successes since they were last taken. They are to be taken before add() or restore() forgets.
  std::uint32_t successes() const { return std::uint32_t{good_[0]} - taken_; }
  bool forgets(std::uint8_t window) const {
    return window != window_ || good_[0] == 0xffff || bad_[0] == 0xffff;
  }
  std::uint32_t take_successes() {
    const std::uint32_t taken = successes();
    taken_ = good_[0];
    return taken;
  }

  // The counts as of `window`, to be given to restore() with that window's number then.
  struct Saved {
    std::uint16_t good[2];
    std::uint16_t bad[2];
    std::uint8_t streak;
  };
  Saved saved(std::uint8_t window) const {
    SuccessWindows now = *this;
    now.turn(window);
    return {{now.good_[0], now.good_[1]}, {now.bad_[0], now.bad_[1]}, now.streak_};
  }
  void restore(const Saved& saved, std::uint8_t window) {
    for (int i = 0; i < 2; ++i) {
      good_[i] = saved.good[i];
      bad_[i] = saved.bad[i];
    }
    streak_ = std::min(saved.streak, kStreakMax);
    window_ = window;
    taken_ = good_[0];
    usual_until_ = 0;
  }

  std::uint32_t failures() const { return std::uint32_t{bad_[0]} + bad_[1]; }

  std::uint32_t failures_in_row() const { return streak_; }

  // Share of successes with half a success as prior knowledge: 1 without failures, 1/3 after one.
  float share() const {
    const auto good = static_cast<float>(good_[0] + good_[1]) + 0.5F;
    return good / (good + static_cast<float>(failures()));
  }

  // What multiplies the cost: the share squared, inverted. An endpoint that fails at once holds few
  // requests, which makes it look as much better as its failures make it worse; the square breaks
  // that tie. Failures in a row count at once, four times more for each after the first, however
  // many successes the window still remembers; one success ends them.
  float penalty() const {
    const auto good = static_cast<float>(good_[0] + good_[1]) + 0.5F;
    const float inverse_share = (good + static_cast<float>(failures())) / good;
    const float row = streak_ < 2 ? 1.0F : static_cast<float>(1U << (2 * (streak_ - 1)));
    return std::min(std::max(inverse_share * inverse_share, row), kMostPenalty);
  }

 private:
  static constexpr std::uint8_t kStreakMax = 6;  // 4^5 = kMostPenalty

  // How many more successes are as usual. Where some failed, one in 32 of those there are: that
  // hardly changes their share.
  void plan() {
    const std::uint32_t more = failures() == 0 ? 0xffffU : good_[0] / 32U;
    usual_until_ = static_cast<std::uint16_t>(
        streak_ != 0 ? 0U : std::min<std::uint32_t>(good_[0] + more, 0xffff));
  }

  void turn(std::uint8_t window) {
    if (window == window_) return;
    const bool next = static_cast<std::uint8_t>(window_ + 1) == window;
    good_[1] = next ? good_[0] : std::uint16_t{0};
    bad_[1] = next ? bad_[0] : std::uint16_t{0};
    good_[0] = 0;
    bad_[0] = 0;
    taken_ = 0;
    window_ = window;
  }

  std::uint16_t good_[2] = {};
  std::uint16_t bad_[2] = {};
  std::uint16_t taken_ = 0;        // good_[0] as of the last take_successes()
  std::uint16_t usual_until_ = 0;  // successes are as usual while good_[0] is below
  std::uint8_t window_ = 0;
  std::uint8_t streak_ = 0;  // failures since the last success, at most kStreakMax
};

struct alignas(64) Slot {
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  [[no_unique_address]] Ewma latency;  // ns, of answered requests
  std::uint32_t in_flight = 0;         // tickets out
  std::uint64_t start_sum = 0;         // of the waiting requests' start times, ns, modulo 2^64
  std::uint32_t answered = 0;          // in flight, and their first byte is here
  std::uint32_t elsewhere = 0;         // in flight from other workers, as last told
  float inverse = 1;                   // 1 / (weight x warmup x success)
  std::uint32_t picked_at = 0;         // the balancer's number of picks at the last one, mod 2^32
  SuccessWindows windows;
  std::uint16_t touched = 0;  // coarse time of the last pick, see coarse_time

  std::uint32_t load() const { return in_flight + elsewhere + 1; }
  // Those of whom nothing is heard.
  std::uint32_t waiting() const { return in_flight - answered; }
};
static_assert(sizeof(Slot) == 64, "a pick must touch one cache line per endpoint");

// 0.134 s units modulo 2^16: enough to tell "not for seconds" in two bytes.
inline std::uint16_t coarse_time(Time now) { return static_cast<std::uint16_t>(now.ns() >> 27); }

// The terms that are the same for the whole pool.
struct CostModel {
  // An endpoint whose very first request is unanswered loses against all that answered.
  static constexpr double kPendingPenalty = 1e6;

  explicit CostModel(Duration tau, Duration least, Duration assumed)
      : decay(tau),
        fresh(tau / 512),
        floor(static_cast<double>(least.ns())),
        median(static_cast<double>(assumed.ns())) {}

  Ewma::Decay decay;
  Duration fresh;  // estimates younger than this have not decayed by anything that matters
  double floor;    // ns
  double median;   // ns; the prior until someone has answered

  // The latency to reckon with now, ns.
  double latency(const Slot& slot, Time now) const {
    double ns = median;
    if (slot.latency.known()) {
      const bool young = now - slot.latency.stamp() < fresh;
      ns = young ? slot.latency.value() : slot.latency.at(now, median, decay);
    }
    // When nobody waits, the sum is 0, which is not more.
    const std::uint64_t waiting = slot.waiting();
    const auto age_sum = static_cast<double>(
        static_cast<std::int64_t>(static_cast<std::uint64_t>(now.ns()) * waiting - slot.start_sum));
    if (age_sum > ns * static_cast<double>(waiting)) ns = age_sum / static_cast<double>(waiting);
    return std::max(ns, floor);
  }

  // The cost of one more request there.
  double cost(const Slot& slot, double latency_ns) const {
    const double cost = latency_ns * slot.load() * static_cast<double>(slot.inverse);
    return !slot.latency.known() && slot.waiting() != 0 ? cost * kPendingPenalty : cost;
  }
};

}  // namespace evener
