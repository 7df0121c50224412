#include "config/values.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace evener::config {
namespace {

template <typename... Args>
std::unexpected<std::string> wrong(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(fmt::format(format, std::forward<Args>(args)...));
}

// Long or odd text is shortened: messages must stay readable.
std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  return fmt::format("`{}{}`", text.substr(0, kShown), text.size() > kShown ? "..." : "");
}

struct Unit {
  std::string_view name;
  double factor;
};
constexpr std::array kDurationUnits = {Unit{"ns", 1},  Unit{"us", 1e3}, Unit{"ms", 1e6},
                                       Unit{"s", 1e9}, Unit{"m", 60e9}, Unit{"h", 3600e9}};
constexpr std::array kSizeUnits = {Unit{"B", 1},           Unit{"KB", 1e3},   Unit{"MB", 1e6},
                                   Unit{"GB", 1e9},        Unit{"KiB", 1024}, Unit{"MiB", 1048576},
                                   Unit{"GiB", 1073741824}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_plain_number(std::string_view text) {
  return !text.empty() && is_digit(text.front()) && is_digit(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || c == '.'; }) &&
         std::ranges::count(text, '.') <= 1;
}

bool to_double(std::string_view text, double& value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

// A number and one of the units; `example` shows the form.
template <std::size_t N>
Value<double> with_unit(std::string_view text, const std::array<Unit, N>& units,
                        std::string_view what, std::string_view names, std::string_view example) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, digits);
  const std::string_view unit = text.substr(digits);
  double value = 0;
  if (!is_plain_number(number) || !to_double(number, value)) {
    return wrong("expected {} like `{}`, found {}", what, example, quoted(text));
  }
  if (unit.empty()) {
    return wrong("expected {} with a unit ({}), found {}: write `{}`", what, names, quoted(text),
                 fmt::format("{}{}", number.substr(0, 20), example == "5s" ? "s" : "KiB"));
  }
  for (const Unit& known : units) {
    if (known.name == unit) return value * known.factor;
  }
  return wrong("expected {} with a unit ({}), found {}", what, names, quoted(text));
}

Value<std::uint16_t> parse_port(std::string_view port, std::string_view whole) {
  const Value<std::uint64_t> number = parse_count(port);
  if (!number || *number > 65535) {
    return wrong("expected a port from 0 to 65535 behind the last colon, found {}", quoted(whole));
  }
  return static_cast<std::uint16_t>(*number);
}

// The address in the one usual spelling, so that equal ones compare equal; empty if it is none.
std::string canonical(int family, const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> binary{};
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (text.contains('\0') || inet_pton(family, text.c_str(), binary.data()) != 1) return {};
  return inet_ntop(family, binary.data(), out.data(), out.size()) == nullptr ? "" : out.data();
}

bool is_dns_name(std::string_view text) {
  return !text.empty() && text.size() <= 253 && text.front() != '.' && !text.contains("..") &&
         std::ranges::all_of(text, [](char c) {
           return is_digit(c) || is_letter(c) || c == '-' || c == '.' || c == '_';
         });
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

}  // namespace

Value<Duration> parse_duration(std::string_view text) {
  const Value<double> ns =
      with_unit(text, kDurationUnits, "a duration", "ns, us, ms, s, m, h", "5s");
  if (!ns) return std::unexpected(ns.error());
  if (*ns > 9.2e18) return wrong("expected a duration under 292 years, found {}", quoted(text));
  return Duration::nanoseconds(std::llround(*ns));
}

Value<std::uint64_t> parse_size(std::string_view text) {
  const Value<double> octets =
      with_unit(text, kSizeUnits, "a size", "B, KB, KiB, MB, MiB, GB, GiB", "16KiB");
  if (!octets) return std::unexpected(octets.error());
  if (*octets > 9e15) return wrong("expected a size under 9 PB, found {}", quoted(text));
  const auto whole = static_cast<std::uint64_t>(*octets);
  if (static_cast<double>(whole) != *octets) {
    return wrong("expected a whole number of octets, found {}", quoted(text));
  }
  return whole;
}

Value<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || result.ec != std::errc() || result.ptr != text.data() + text.size()) {
    return wrong("expected a whole number, found {}", quoted(text));
  }
  return value;
}

Value<double> parse_number(std::string_view text) {
  double value = 0;
  if (!is_plain_number(text.starts_with('-') ? text.substr(1) : text) || !to_double(text, value) ||
      !std::isfinite(value)) {
    return wrong("expected a number like `2` or `0.5`, found {}", quoted(text));
  }
  return value;
}

Value<double> parse_share(std::string_view text) {
  const bool percent = text.ends_with('%');
  const Value<double> number = parse_number(percent ? text.substr(0, text.size() - 1) : text);
  const double share = number ? *number / (percent ? 100 : 1) : -1;
  if (share >= 0 && share <= 1) return share;
  return std::unexpected(
      fmt::format("expected a share like `50%` or `0.5`, from 0 to 1, found `{}`", text));
}

Value<Address> parse_address(std::string_view text) {
  Address address;
  const std::size_t colon = text.rfind(':');
  address.ipv6 = text.starts_with('[');
  if (!address.ipv6 && std::ranges::count(text, ':') > 1) {
    return wrong("expected IPv6 in brackets and a port, \"[ADDRESS]:PORT\", found {}",
                 quoted(text));
  }
  const std::size_t host_end = address.ipv6 ? text.find(']') : colon;
  if (host_end == std::string_view::npos || colon == std::string_view::npos ||
      (address.ipv6 && colon != host_end + 1)) {
    return wrong("expected ADDRESS:PORT like `10.0.0.7:8080` or \"[2001:db8::1]:8080\", found {}",
                 quoted(text));
  }
  const Value<std::uint16_t> port = parse_port(text.substr(colon + 1), text);
  if (!port) return std::unexpected(port.error());
  address.port = *port;
  const std::string_view host =
      text.substr(address.ipv6 ? 1 : 0, host_end - (address.ipv6 ? 1 : 0));
  address.host = canonical(address.ipv6 ? AF_INET6 : AF_INET, std::string(host));
  if (address.host.empty()) {
    return wrong("expected a numeric {} address, found {}: names are not looked up by this version",
                 address.ipv6 ? "IPv6" : "IPv4", quoted(text));
  }
  return address;
}

Value<std::string> parse_name(std::string_view text) {
  const bool good = !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return is_digit(c) || is_letter(c) || std::string_view("_-.:[]").contains(c);
  });
  if (good) return std::string(text);
  return wrong("expected a name of 1 to 64 letters, digits, `_`, `-`, `.` or `:`, found {}",
               quoted(text));
}

Value<std::string> parse_host_match(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) {
    std::string address = canonical(AF_INET6, std::string(text.substr(1, text.size() - 2)));
    if (!address.empty()) return address;
  }
  const bool wildcard = text.starts_with("*.");
  if (is_dns_name(wildcard ? text.substr(2) : text)) return lower_case(text);
  return wrong(
      "expected a host name without a port, like `api.example.com` or `*.example.com` (others in "
      "punycode), found {}",
      quoted(text));
}

std::string duration_text(Duration duration) {
  const std::int64_t ns = duration.ns();
  constexpr std::array<std::pair<std::int64_t, std::string_view>, 4> kSteps = {
      {{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}, {1, "ns"}}};
  for (const auto& [step, name] : kSteps) {
    if (ns % step == 0) return fmt::format("{}{}", ns / step, name);
  }
  return {};
}

std::string size_text(std::uint64_t octets) {
  constexpr std::array<std::pair<std::uint64_t, std::string_view>, 4> kSteps = {
      {{1ULL << 30, "GiB"}, {1ULL << 20, "MiB"}, {1ULL << 10, "KiB"}, {1, "B"}}};
  for (const auto& [step, name] : kSteps) {
    if (octets >= step && octets % step == 0) return fmt::format("{}{}", octets / step, name);
  }
  return "0B";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  constexpr std::size_t kLongest = 64;
  a = a.substr(0, kLongest);
  b = b.substr(0, kLongest);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t swap = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({swap, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace evener::config
