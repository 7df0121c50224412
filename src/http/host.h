// host[:port] as in Host and in an absolute-form target: checking, splitting, comparing.
//
// Pure functions, no allocation. IPv6 literals carry brackets (RFC 3986 §3.2.2, case F44); zone
// identifiers, IPvFuture and userinfo are refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evener::http {

struct HostPort {
  std::string_view host;              // without brackets, as spelt; never empty
  std::optional<std::uint16_t> port;  // none when absent or empty ("a.example:")
  bool ipv6 = false;
};

// Nothing when `text` is not host[:port].
std::optional<HostPort> parse_host_port(std::string_view text);

// Same name (case-blind) and same port, where no port means `default_port` (case F36).
bool same_host(const HostPort& a, const HostPort& b, std::uint16_t default_port);

// Appends host in lower case, in brackets if IPv6, with the port unless it is the default.
void append_normalised(std::string& out, const HostPort& host, std::uint16_t default_port);

}  // namespace evener::http
