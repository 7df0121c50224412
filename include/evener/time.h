// Time and Duration: the only way the project says "when" and "how long".
//
// Nanoseconds on a monotonic clock whose zero is the owner's business (a loop's start, a simulated
// world's beginning). Values are passed in; nothing in this library reads a clock. Arithmetic
// saturates nowhere and wraps never within +-292 years. Cost: one integer operation each.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace evener {

// A span of time, signed, in nanoseconds.
class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration nanoseconds(std::int64_t n) { return Duration(n); }
  static constexpr Duration microseconds(std::int64_t n) { return Duration(n * 1'000); }
  static constexpr Duration milliseconds(std::int64_t n) { return Duration(n * 1'000'000); }
  static constexpr Duration seconds(std::int64_t n) { return Duration(n * 1'000'000'000); }
  // Rounds toward zero. REQUIRES: s finite and |s| < 9.2e9.
  static constexpr Duration from_seconds(double s) {
    return Duration(static_cast<std::int64_t>(s * 1e9));
  }
  static constexpr Duration max() { return Duration(std::numeric_limits<std::int64_t>::max()); }

  constexpr std::int64_t ns() const { return ns_; }
  constexpr std::int64_t ms() const { return ns_ / 1'000'000; }
  constexpr double to_seconds() const { return static_cast<double>(ns_) * 1e-9; }

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration operator+(Duration o) const { return Duration(ns_ + o.ns_); }
  constexpr Duration operator-(Duration o) const { return Duration(ns_ - o.ns_); }
  constexpr Duration operator-() const { return Duration(-ns_); }
  constexpr Duration operator*(std::int64_t k) const { return Duration(ns_ * k); }
  constexpr Duration operator/(std::int64_t k) const { return Duration(ns_ / k); }

 private:
  explicit constexpr Duration(std::int64_t n) : ns_(n) {}
  std::int64_t ns_ = 0;
};

// A point in time, in nanoseconds since the owner's zero.
class Time {
 public:
  constexpr Time() = default;
  static constexpr Time from_ns(std::int64_t n) { return Time(n); }
  // Later than any time that occurs: "no deadline".
  static constexpr Time never() { return Time(std::numeric_limits<std::int64_t>::max()); }

  constexpr std::int64_t ns() const { return ns_; }

  constexpr auto operator<=>(const Time&) const = default;
  constexpr Time operator+(Duration d) const { return Time(ns_ + d.ns()); }
  constexpr Time operator-(Duration d) const { return Time(ns_ - d.ns()); }
  constexpr Duration operator-(Time o) const { return Duration::nanoseconds(ns_ - o.ns_); }

 private:
  explicit constexpr Time(std::int64_t n) : ns_(n) {}
  std::int64_t ns_ = 0;
};

}  // namespace evener
