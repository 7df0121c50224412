#include "http/retry_after.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>

#include "http/fields.h"

namespace evener::http {
namespace {

constexpr std::int64_t kDay = 86'400;

// All of `text` as a number, digits alone.
std::optional<std::int64_t> digits(std::string_view text) {
  std::int64_t value = 0;
  const bool plain = !text.empty() && text.size() <= 18 && text.front() != '-';
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!plain || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "Sun, 06 Nov 1994 08:49:37 GMT" in seconds since 1970.
std::optional<std::int64_t> fixdate(std::string_view text) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (text.size() != 29 || text.substr(3, 2) != ", " || text.substr(25) != " GMT" ||
      text[7] != ' ' || text[11] != ' ' || text[16] != ' ' || text[19] != ':' || text[22] != ':') {
    return std::nullopt;
  }
  const std::size_t month = kMonths.find(text.substr(8, 3));
  const auto day = digits(text.substr(5, 2));
  const auto year = digits(text.substr(12, 4));
  const auto hour = digits(text.substr(17, 2));
  const auto minute = digits(text.substr(20, 2));
  const auto second = digits(text.substr(23, 2));
  if (month == std::string_view::npos || month % 3 != 0 || !day || !year || !hour || !minute ||
      !second || *hour > 23 || *minute > 59 || *second > 60) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(month / 3 + 1)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return days * kDay + *hour * 3600 + *minute * 60 + *second;
}

// The value of the only field of that name; empty when there is none, or several.
std::string_view only_value(const Head& head, std::string_view name) {
  std::string_view found;
  int count = 0;
  for (const Field& field : head.fields) {
    if (!equals_ignoring_case(field.name, name)) continue;
    found = field.value;
    ++count;
  }
  return count == 1 ? found : std::string_view();
}

}  // namespace

Duration retry_after(const Head& response) {
  const std::string_view value = trim(only_value(response, "retry-after"));
  std::optional<std::int64_t> seconds = digits(value);
  if (!seconds) {
    const auto then = fixdate(value);
    const auto now = fixdate(trim(only_value(response, "date")));
    if (then && now) seconds = *then - *now;
  }
  return Duration::seconds(std::clamp<std::int64_t>(seconds.value_or(0), 0, kDay));
}

}  // namespace evener::http
