// The table of settings against the defaults in config.h and against the reference page.
#include "config/settings.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "config/values.h"

namespace evener::config {
namespace {

std::string number(std::uint64_t n) { return std::to_string(n); }

std::map<std::string, std::string> policy_defaults() {
  const Pool pool;
  return {
      {"pools.*.policy", pool.policy.name},
      {"pools.*.policy.choices", choices_of(pool.policy) == kChoicesAuto ? "auto" : "?"},
      {"pools.*.policy.replacement", pool.policy.replacement ? "true" : "false"},
      {"pools.*.policy.beta", pool.policy.beta == 1 ? "1" : "?"},
      {"pools.*.policy.estimator", pool.policy.estimator == Estimator::kMean ? "mean" : "peak"},
      {"pools.*.policy.tau", duration_text(pool.policy.tau)},
      {"pools.*.policy.floor", duration_text(pool.policy.floor)},
      {"pools.*.policy.prior", duration_text(pool.policy.prior)},
      {"pools.*.policy.window", duration_text(pool.policy.window)},
      {"pools.*.policy.reprobe", duration_text(pool.policy.reprobe)},
      {"pools.*.policy.points", number(pool.policy.points)},
      {"pools.*.policy.table_size", number(pool.policy.table_size)},
      {"pools.*.policy.load_factor", pool.policy.load_factor == 1.25 ? "1.25" : "?"},
      {"pools.*.policy.over", pool.policy.over == KeyedOver::kRing ? "ring" : "rendezvous"},
  };
}

std::map<std::string, std::string> defaults() {
  const Config config;
  const ClientTimeouts& times = config.timeouts;
  const Limits& limits = config.limits;
  const Pool pool;
  const auto automatic = [](std::uint64_t n) { return n == 0 ? "auto" : std::to_string(n); };
  std::map<std::string, std::string> all = {
      {"workers", automatic(config.workers)},
      {"engine", config.engine == Engine::kAuto ? "auto" : "?"},
      {"timeouts.header", duration_text(times.header)},
      {"timeouts.body_idle", duration_text(times.body_idle)},
      {"timeouts.send", duration_text(times.send)},
      {"timeouts.keep_alive", duration_text(times.keep_alive)},
      {"timeouts.drain", duration_text(times.drain)},
      {"limits.connections", automatic(limits.connections)},
      {"limits.head_bytes", size_text(limits.head_bytes)},
      {"limits.target_bytes", size_text(limits.target_bytes)},
      {"limits.field_count", number(limits.field_count)},
      {"limits.trailer_bytes", size_text(limits.trailer_bytes)},
      {"limits.chunk_extension_bytes", size_text(limits.chunk_extension_bytes)},
      {"limits.request_body_bytes", size_text(limits.request_body_bytes)},
      {"limits.requests_per_connection", number(limits.requests_per_connection)},
      {"limits.idle_endpoint_connections", number(limits.idle_endpoint_connections)},
      {"routes.*.timeouts.total", duration_text(Route{}.total_timeout)},
      {"pools.*.ejection.consecutive", number(pool.ejection.consecutive)},
      {"pools.*.ejection.window", duration_text(pool.ejection.window)},
      {"pools.*.ejection.failure_share", pool.ejection.failure_share == 0.85 ? "85%" : "?"},
      {"pools.*.ejection.failure_requests", number(pool.ejection.failure_requests)},
      {"pools.*.ejection.success_deviations",
       pool.ejection.success_deviations == 1.9 ? "1.9" : "?"},
      {"pools.*.ejection.slow_multiple", pool.ejection.slow_multiple == 0 ? "0" : "?"},
      {"pools.*.ejection.base", duration_text(pool.ejection.base)},
      // As one would write it: duration_text says 5m.
      {"pools.*.ejection.longest", pool.ejection.longest == Duration::seconds(300) ? "300s" : "?"},
      {"pools.*.ejection.max_share", pool.ejection.max_share == 0.5 ? "50%" : "?"},
      {"pools.*.ejection.trial_timeout", duration_text(pool.ejection.trial_timeout)},
      {"pools.*.warmup", duration_text(pool.warm_up.window)},
      {"pools.*.limits.in_flight_per_endpoint",
       pool.limits.in_flight_per_endpoint == 0 ? "none" : "?"},
      {"pools.*.endpoints.*.weight", EndpointConfig{}.weight == 1 ? "1" : "?"},
      {"pools.*.timeouts.connect", duration_text(pool.timeouts.connect)},
      {"pools.*.timeouts.first_byte", duration_text(pool.timeouts.first_byte)},
      {"pools.*.timeouts.idle", duration_text(pool.timeouts.idle)},
      {"pools.*.timeouts.keep_alive", duration_text(pool.timeouts.keep_alive)},
      {"pools.*.limits.idle_connections_per_endpoint",
       number(pool.limits.idle_connections_per_endpoint)},
  };
  all.merge(policy_defaults());
  return all;
}

TEST(Settings, the_table_has_the_real_defaults_and_all_of_them) {
  std::map<std::string, std::string> table;
  for (const SettingInfo& info : settings()) {
    table.emplace(info.path, info.default_value);
    EXPECT_FALSE(info.meaning.empty()) << info.path;
  }
  EXPECT_EQ(table, defaults());
  EXPECT_EQ(table.size(), settings().size()) << "each path once";
}

TEST(Settings, the_reference_page_has_the_same_rows) {
  std::ifstream file(EV_SOURCE_DIR "/docs/reference/configuration.md");
  ASSERT_TRUE(file) << "docs/reference/configuration.md is missing";
  std::stringstream page;
  page << file.rdbuf();
  for (const SettingInfo& info : settings()) {
    const std::string row = "| `" + std::string(info.path) + "` | `" +
                            std::string(info.default_value) + "` | " + std::string(info.meaning) +
                            " |\n";
    EXPECT_TRUE(page.str().contains(row)) << "expected the row\n" << row;
  }
}

}  // namespace
}  // namespace evener::config
