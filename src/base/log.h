// The error log: what went wrong or changed in the process, for people, on standard error.
//
// Lines are formatted by the caller and written whole by spdlog (behind log.cc). Thread: any.
// Cost: a formatted write; never on the request path
// without a LogLimit in front.
#pragma once

#include <evener/time.h>

#include <cstdint>
#include <string_view>

namespace evener {

enum class LogLevel : std::uint8_t { kInfo, kWarning, kError };

void log(LogLevel level, std::string_view message);
// Lines below `least` are left out from now on. At first none is.
void set_least_log_level(LogLevel least);

// Lets one line through per interval and counts what it held back. Owner: the place that logs.
class LogLimit {
 public:
  explicit LogLimit(Duration interval) : interval_(interval) {}

  // True when a line may be written now; `suppressed()` then says how many were held back since.
  bool allow(Time now) {
    if (now < next_) {
      ++pending_;
      return false;
    }
    next_ = now + interval_;
    suppressed_ = pending_;
    pending_ = 0;
    return true;
  }
  std::uint64_t suppressed() const { return suppressed_; }

 private:
  Duration interval_;
  Time next_ = Time::from_ns(std::numeric_limits<std::int64_t>::min());
  std::uint64_t pending_ = 0;
  std::uint64_t suppressed_ = 0;
};

}  // namespace evener
