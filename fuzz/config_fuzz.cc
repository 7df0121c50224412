// Fuzzes the configuration reader: any text ends in a Config or in at least one error with a sane
// place, soon (libFuzzer's -timeout), and what is accepted keeps its promises.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "config/parse.h"

namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "FINDING: %s\n", what);
  std::abort();
}

void check_accepted(const evener::config::Config& config) {
  require(!config.listeners.empty(), "accepted without a listener");
  require(!config.routes.empty(), "accepted without a route");
  for (const auto& route : config.routes) {
    require(route.pool_index < config.pools.size(), "a route without its pool");
    require(config.pools[route.pool_index].name == route.pool, "a route with another pool");
    require(route.total_timeout > evener::Duration(), "a route without a time-out");
  }
  for (const auto& pool : config.pools) {
    require(!pool.endpoints.empty(), "a pool without endpoints");
    require(evener::check_settings(pool.policy).has_value(), "a policy with bad settings");
    for (const auto& endpoint : pool.endpoints) {
      require(endpoint.weight > 0 && endpoint.address.port != 0, "an endpoint that cannot work");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = evener::config::parse(text, "fuzz.yaml");
  if (parsed) {
    check_accepted(*parsed);
    return 0;
  }
  require(!parsed.error().empty(), "refused without an error");
  require(parsed.error().size() <= evener::config::kMaxDiagnostics, "too many errors");
  for (const auto& diagnostic : parsed.error()) {
    require(diagnostic.line >= 0 && diagnostic.column >= 0 && !diagnostic.message.empty(),
            "an error without a place or message");
    require(!to_string(diagnostic).empty(), "an error without text");
  }
  return 0;
}
