#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/config_file.h"

namespace evener::cli {
namespace {

std::string match_text(const config::Match& match) {
  return (match.host.empty() ? std::string("*") : match.host) +
         (match.path.empty() ? "/" : match.path);
}

void print_text(const std::string& path, const config::Config& config) {
  fmt::print("{}: good\n\n", path);
  fmt::print("{:<16} {}\n", "listener", "address");
  for (const auto& listener : config.listeners) {
    fmt::print("{:<16} {}\n", listener.name, config::to_string(listener.address));
  }
  fmt::print("\n{:<40} {:<16} {}\n", "route, in the order they are tried", "pool",
             "total time-out");
  for (const auto& route : config.routes) {
    fmt::print("{:<40} {:<16} {:g} s\n", match_text(route.match), route.pool,
               route.total_timeout.to_seconds());
  }
  fmt::print("\n{:<16} {:<16} {:<24} {}\n", "pool", "policy", "endpoint", "weight");
  for (const auto& pool : config.pools) {
    for (const auto& endpoint : pool.endpoints) {
      fmt::print("{:<16} {:<16} {:<24} {:g}\n", pool.name, pool.policy.name, endpoint.name,
                 endpoint.weight);
    }
  }
  fmt::print("\nworkers {}, admin {}\n",
             config.workers == 0 ? std::string("one per core") : std::to_string(config.workers),
             config.admin ? config::to_string(config.admin->address) : "off");
}

int print_errors_as_json(const std::vector<config::Diagnostic>& errors) {
  nlohmann::ordered_json out;
  out["good"] = false;
  for (const config::Diagnostic& error : errors) {
    out["errors"].push_back({{"file", error.file},
                             {"line", error.line},
                             {"column", error.column},
                             {"message", error.message}});
  }
  // Names from the file may hold anything; what is no UTF-8 is replaced, so that this stays JSON.
  fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return kExitFailed;
}

void print_json(const config::Config& config) {
  nlohmann::ordered_json out;
  out["good"] = true;
  for (const auto& listener : config.listeners) {
    out["listeners"].push_back(
        {{"name", listener.name}, {"address", config::to_string(listener.address)}});
  }
  for (const auto& route : config.routes) {
    out["routes"].push_back({{"host", route.match.host},
                             {"path", route.match.path},
                             {"pool", route.pool},
                             {"total_timeout_seconds", route.total_timeout.to_seconds()}});
  }
  for (const auto& pool : config.pools) {
    nlohmann::ordered_json endpoints = nlohmann::ordered_json::array();
    for (const auto& endpoint : pool.endpoints) {
      endpoints.push_back({{"name", endpoint.name},
                           {"address", config::to_string(endpoint.address)},
                           {"weight", endpoint.weight}});
    }
    out["pools"].push_back(
        {{"name", pool.name}, {"policy", pool.policy.name}, {"endpoints", std::move(endpoints)}});
  }
  for (const auto& warning : config.warnings) {
    out["warnings"].push_back({{"line", warning.mark.line}, {"message", warning.message}});
  }
  fmt::print("{}\n", out.dump(2));
}

}  // namespace

int check(const CheckOptions& options) {
  if (options.json) {
    const auto loaded = load_config(options.config);
    if (!loaded) return print_errors_as_json(loaded.error());
    print_json(*loaded);
    return kExitGood;
  }
  const auto config = read_config(options.config);
  if (!config) return kExitFailed;
  print_text(options.config, *config);
  return kExitGood;
}

}  // namespace evener::cli
