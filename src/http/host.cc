#include "http/host.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "http/fields.h"
#include "http/scan.h"

namespace evener::http {
namespace {

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_reg_name(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while ((p = skip_class(p, end, kRegNameChar)) != end) {
    if (*p != '%' || end - p < 3 || !is_hex(p[1]) || !is_hex(p[2])) return false;
    p += 3;
  }
  return !text.empty();
}

bool is_ipv6(std::string_view text) {
  std::array<char, INET6_ADDRSTRLEN> terminated{};
  if (text.size() >= terminated.size()) return false;
  std::ranges::copy(text, terminated.begin());
  in6_addr address{};
  return inet_pton(AF_INET6, terminated.data(), &address) == 1;
}

// `text` is empty, or ":" and maybe digits.
bool parse_port(std::string_view text, std::optional<std::uint16_t>& port) {
  if (text.empty() || text == ":") return true;
  if (text.front() != ':') return false;
  std::uint16_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data() + 1, end, value);
  if (result.ec != std::errc() || result.ptr != end) return false;
  port = value;
  return true;
}

}  // namespace

std::optional<HostPort> parse_host_port(std::string_view text) {
  HostPort result;
  std::size_t end = 0;
  if (text.starts_with('[')) {
    end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    result.host = text.substr(1, end - 1);
    result.ipv6 = true;
    ++end;
  } else {
    end = std::min(text.find(':'), text.size());
    result.host = text.substr(0, end);
  }
  if (!(result.ipv6 ? is_ipv6(result.host) : is_reg_name(result.host))) return std::nullopt;
  if (!parse_port(text.substr(end), result.port)) return std::nullopt;
  return result;
}

bool same_host(const HostPort& a, const HostPort& b, std::uint16_t default_port) {
  return a.ipv6 == b.ipv6 && a.port.value_or(default_port) == b.port.value_or(default_port) &&
         equals_ignoring_case(a.host, b.host);
}

void append_normalised(std::string& out, const HostPort& host, std::uint16_t default_port) {
  if (host.ipv6) out += '[';
  for (const char c : host.host) {
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  if (host.ipv6) out += ']';
  if (host.port && *host.port != default_port) {
    out += ':';
    out += std::to_string(*host.port);
  }
}

}  // namespace evener::http
