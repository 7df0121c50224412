// RangeCheck: is every field of a settings struct in its range? Remembers the first that is not.
//
// For check_settings functions; any thread. NaN is in no range. Allocates only for an error.
#pragma once

#include <evener/error.h>
#include <evener/time.h>

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace evener {

class RangeCheck {
 public:
  // `of`: what the settings are of, for the message: "warm-up".
  explicit RangeCheck(std::string_view of) : of_(of) {}

  RangeCheck& number(std::string_view name, double value, double least, double most);
  RangeCheck& duration(std::string_view name, Duration value, Duration least, Duration most);
  std::expected<void, Error> result() const;

 private:
  void fail(std::string_view name, const std::string& range, const std::string& found);

  std::string_view of_;
  std::optional<Error> error_;
};

}  // namespace evener
