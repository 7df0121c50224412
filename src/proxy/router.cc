#include "proxy/router.h"

#include <algorithm>

#include "http/host.h"

namespace evener::proxy {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_blind(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, {}, lower);
}

bool host_matches(std::string_view pattern, std::string_view host) {
  if (pattern.empty()) return true;
  if (!pattern.starts_with("*.")) return equal_blind(host, pattern);
  const std::string_view suffix = pattern.substr(1);
  return host.size() > suffix.size() &&
         equal_blind(host.substr(host.size() - suffix.size()), suffix);
}

}  // namespace

Router::Router(const std::vector<config::Route>& routes)
    : routes_(routes), by_host_(std::ranges::any_of(routes, [](const config::Route& route) {
        return !route.match.host.empty();
      })) {}

const config::Route* Router::match(std::string_view authority, std::string_view path) const {
  std::string_view host;
  if (by_host_) {
    if (const auto parsed = http::parse_host_port(authority)) host = parsed->host;
  }
  for (const config::Route& route : routes_) {
    if (host_matches(route.match.host, host) && path.starts_with(route.match.path)) return &route;
  }
  return nullptr;
}

}  // namespace evener::proxy
