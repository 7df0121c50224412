#include "io/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>

namespace evener::io {
namespace {

std::expected<std::uint16_t, std::string> parse_port(std::string_view text, std::string_view all) {
  std::uint32_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || port > 65535) {
    return std::unexpected(
        fmt::format("expected a port from 0 to 65535, found '{}' in '{}'", text, all));
  }
  return static_cast<std::uint16_t>(port);
}

}  // namespace

Address::Address() { std::memset(&storage_, 0, sizeof storage_); }

std::expected<Address, std::string> Address::parse(std::string_view text) {
  Address address;
  std::string host;
  std::string_view port_text;
  const bool bracketed = text.starts_with('[');
  if (bracketed) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos || close + 1 >= text.size() || text[close + 1] != ':') {
      return std::unexpected(fmt::format("expected [IPv6]:port, found '{}'", text));
    }
    host = text.substr(1, close - 1);
    port_text = text.substr(close + 2);
  } else {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
      return std::unexpected(fmt::format("expected address:port, found '{}'", text));
    }
    if (text.find(':', colon + 1) != std::string_view::npos) {
      return std::unexpected(
          fmt::format("expected IPv6 in brackets, as [::1]:80, found '{}'", text));
    }
    host = text.substr(0, colon);
    port_text = text.substr(colon + 1);
  }
  const auto port = parse_port(port_text, text);
  if (!port) return std::unexpected(port.error());
  const int family = bracketed ? AF_INET6 : AF_INET;
  void* target = bracketed ? static_cast<void*>(&address.storage_.v6.sin6_addr)
                           : static_cast<void*>(&address.storage_.v4.sin_addr);
  if (inet_pton(family, host.c_str(), target) != 1) {
    return std::unexpected(fmt::format("expected an {} address, found '{}' in '{}'",
                                       bracketed ? "IPv6" : "IPv4", host, text));
  }
  address.storage_.v4.sin_family = static_cast<sa_family_t>(family);
  address.set_port(*port);
  return address;
}

Address Address::loopback(std::uint16_t port) {
  Address address;
  address.storage_.v4.sin_family = AF_INET;
  address.storage_.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.set_port(port);
  return address;
}

Address Address::from_sockaddr(const sockaddr* raw) {
  Address address;
  const std::size_t size = raw->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  std::memcpy(&address.storage_, raw, size);
  return address;
}

std::string Address::host_text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  const void* source = is_v6() ? static_cast<const void*>(&storage_.v6.sin6_addr)
                               : static_cast<const void*>(&storage_.v4.sin_addr);
  inet_ntop(is_v6() ? AF_INET6 : AF_INET, source, buffer.data(), buffer.size());
  return buffer.data();
}

std::string Address::text() const {
  return is_v6() ? fmt::format("[{}]:{}", host_text(), port())
                 : fmt::format("{}:{}", host_text(), port());
}

std::uint16_t Address::port() const {
  return ntohs(is_v6() ? storage_.v6.sin6_port : storage_.v4.sin_port);
}

void Address::set_port(std::uint16_t port) {
  (is_v6() ? storage_.v6.sin6_port : storage_.v4.sin_port) = htons(port);
}

bool Address::is_loopback() const {
  if (is_v6()) return IN6_IS_ADDR_LOOPBACK(&storage_.v6.sin6_addr);
  return (ntohl(storage_.v4.sin_addr.s_addr) >> 24) == 127;
}

bool Address::operator==(const Address& other) const {
  if (is_v6() != other.is_v6() || port() != other.port()) return false;
  if (is_v6()) {
    return std::memcmp(&storage_.v6.sin6_addr, &other.storage_.v6.sin6_addr, 16) == 0;
  }
  return storage_.v4.sin_addr.s_addr == other.storage_.v4.sin_addr.s_addr;
}

}  // namespace evener::io
