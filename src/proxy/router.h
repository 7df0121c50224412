// Router: from a request's name and path to its route. First match in the configuration's order,
// which is most specific first.
//
// Owner: one worker; immutable. Thread: any. Cost: a scan over the routes, no allocation.
// Matching uses the target's octets as they came: nothing is decoded or folded.
#pragma once

#include <string_view>

#include "config/config.h"

namespace evener::proxy {

class Router {
 public:
  // `routes` must outlive the router.
  explicit Router(const std::vector<config::Route>& routes);

  // `authority`: host or host:port as in Host; empty matches only routes without a host.
  // Null when no route matches.
  const config::Route* match(std::string_view authority, std::string_view path) const;

 private:
  const std::vector<config::Route>& routes_;
  bool by_host_;  // some route looks at the host
};

}  // namespace evener::proxy
