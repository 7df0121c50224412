// Address: an IPv4 or IPv6 socket address as a 28-byte value.
//
// Text form is host:port, with IPv6 in brackets (RFC 3986 section 3.2.2). Names are not resolved
// here. Thread: any. Cost: plain copies; text conversions allocate.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace evener::io {

class Address {
 public:
  Address();
  // Parses "127.0.0.1:80" or "[::1]:80". The error says what was expected and found.
  static std::expected<Address, std::string> parse(std::string_view text);
  static Address loopback(std::uint16_t port);
  static Address from_sockaddr(const sockaddr* address);

  std::string text() const;       // host:port, brackets round IPv6
  std::string host_text() const;  // host alone, no brackets
  std::uint16_t port() const;
  void set_port(std::uint16_t port);
  bool is_v6() const { return storage_.v4.sin_family == AF_INET6; }
  bool is_loopback() const;

  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t raw_size() const { return is_v6() ? sizeof(sockaddr_in6) : sizeof(sockaddr_in); }

  bool operator==(const Address& other) const;

 private:
  union Storage {
    sockaddr_in v4;
    sockaddr_in6 v6;
  } storage_;
};

}  // namespace evener::io
