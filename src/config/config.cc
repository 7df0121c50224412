#include "config/config.h"

#include <fmt/format.h>

#include <algorithm>

namespace evener::config {

std::string to_string(const Address& address) {
  return address.ipv6 ? fmt::format("[{}]:{}", address.host, address.port)
                      : fmt::format("{}:{}", address.host, address.port);
}

const Pool* Config::find_pool(std::string_view name) const {
  const auto found = std::ranges::find(pools, name, &Pool::name);
  return found == pools.end() ? nullptr : &*found;
}

}  // namespace evener::config
