#include "proxy/request_key.h"

#include <algorithm>
#include <string>

#include "http/fields.h"
#include "http/host.h"

namespace evener::proxy {
namespace {

using Kind = config::KeySource::Kind;

// Of "name=value" pieces between separators the first value of this name; spaces around a piece
// do not count.
std::string_view value_of(std::string_view pieces, char separator, std::string_view name) {
  while (!pieces.empty()) {
    const std::size_t end = std::min(pieces.find(separator), pieces.size());
    const std::string_view piece = http::trim(pieces.substr(0, end));
    if (piece.size() > name.size() && piece[name.size()] == '=' && piece.starts_with(name)) {
      return piece.substr(name.size() + 1);
    }
    pieces.remove_prefix(std::min(end + 1, pieces.size()));
  }
  return {};
}

std::string_view header(const http::Head& head, std::string_view name) {
  for (const http::Field& field : head.fields) {
    if (http::equals_ignoring_case(field.name, name)) return field.value;
  }
  return {};
}

std::string_view cookie(const http::Head& head, std::string_view name) {
  for (const http::Field& field : head.fields) {
    if (!http::equals_ignoring_case(field.name, "cookie")) continue;
    const std::string_view value = value_of(field.value, ';', name);
    if (!value.empty()) return value;
  }
  return {};
}

std::string_view query(const http::Head& head, std::string_view name) {
  const std::size_t mark = head.path.find('?');
  if (mark == std::string_view::npos) return {};
  return value_of(head.path.substr(mark + 1), '&', name);
}

std::optional<Key> key_of(std::string_view value) {
  if (value.empty()) return std::nullopt;
  return make_key(value);
}

std::optional<Key> host_key(const http::Head& head) {
  const auto host = http::parse_host_port(head.authority);
  if (!host) return std::nullopt;
  std::string lower(host->host);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return key_of(lower);
}

}  // namespace

std::optional<Key> request_key(const config::KeySource& source, const http::Head& head,
                               std::string_view client_ip) {
  switch (source.kind) {
    case Kind::kNone:
      return std::nullopt;
    case Kind::kClientIp:
      return key_of(client_ip);
    case Kind::kPath:
      return key_of(head.path.substr(0, head.path.find('?')));
    case Kind::kHost:
      return host_key(head);
    case Kind::kHeader:
      return key_of(header(head, source.name));
    case Kind::kCookie:
      return key_of(cookie(head, source.name));
    case Kind::kQuery:
      return key_of(query(head, source.name));
  }
  return std::nullopt;
}

}  // namespace evener::proxy
