// One scalar's text to one value: durations, sizes, shares, numbers, addresses, names.
//
// Pure functions, any thread. Errors are sentences for a person: what was expected and what was
// found. Internal to config/ but for their tests.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "config/config.h"

namespace evener::config {

template <typename T>
using Value = std::expected<T, std::string>;

// "250ms", "1.5s": a number and one of ns us ms s m h. Not negative; at most 292 years.
Value<Duration> parse_duration(std::string_view text);
// "512B", "16KiB", "64KB", "1MiB", "2GB": a whole number and a unit. In octets.
Value<std::uint64_t> parse_size(std::string_view text);
// A whole decimal number.
Value<std::uint64_t> parse_count(std::string_view text);
// A finite decimal number.
Value<double> parse_number(std::string_view text);
// A share: "50%" or "0.5", from 0 to 1.
Value<double> parse_share(std::string_view text);
// "10.0.0.7:8080", "[2001:db8::1]:8080".
Value<Address> parse_address(std::string_view text);
// A name for a pool, listener or endpoint: letters, digits, '_', '-', '.', ':', 1 to 64 octets.
Value<std::string> parse_name(std::string_view text);
// A host to match: a DNS name, "*." and one, an IPv4 address, or an IPv6 one in brackets (which
// come off). Lower case in the result.
Value<std::string> parse_host_match(std::string_view text);

// As one would write it: "1s", "250ms", "64KiB".
std::string duration_text(Duration duration);
std::string size_text(std::uint64_t octets);

// The element of `known` nearest to `word`, or empty when none is near.
template <typename Range>
std::string_view nearest(std::string_view word, const Range& known);
std::size_t edit_distance(std::string_view a, std::string_view b);

template <typename Range>
std::string_view nearest(std::string_view word, const Range& known) {
  std::string_view best;
  std::size_t least = word.size() / 3 + 2;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace evener::config
