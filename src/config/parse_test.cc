#include "config/parse.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>

namespace evener::config {
namespace {

constexpr std::string_view kSmallest = R"(listeners: [{ address: 0.0.0.0:8080 }]
routes: [{ pool: web }]
pools:
  web: { endpoints: [10.0.0.7:8080, 10.0.0.8:8080] }
)";

Config good(std::string_view yaml) {
  auto parsed = parse(yaml, "test.yaml");
  if (parsed) return std::move(*parsed);
  for (const Diagnostic& d : parsed.error()) ADD_FAILURE() << to_string(d);
  return {};
}

TEST(Parse, the_smallest_useful_file) {
  const Config config = good(kSmallest);
  ASSERT_EQ(config.listeners.size(), 1u);
  EXPECT_EQ(config.listeners[0].name, "listener-0");
  EXPECT_EQ(to_string(config.listeners[0].address), "0.0.0.0:8080");
  ASSERT_EQ(config.routes.size(), 1u);
  EXPECT_EQ(config.routes[0].pool_index, 0u);
  ASSERT_EQ(config.pools.size(), 1u);
  EXPECT_EQ(config.pools[0].name, "web");
  ASSERT_EQ(config.pools[0].endpoints.size(), 2u);
  EXPECT_EQ(config.pools[0].endpoints[1].name, "10.0.0.8:8080");
  EXPECT_EQ(config.pools[0].policy.name, "peak_ewma");
  EXPECT_FALSE(config.admin);
  EXPECT_TRUE(config.warnings.empty());
}

constexpr std::string_view kFull = R"(
listeners:
  - { name: web, address: "[::]:8080" }
  - { address: 127.0.0.1:0 }
  - { address: 127.0.0.1:0 }
routes:
  - pool: api
  - match: { host: "*.example.com", path: /v1/ }
    pool: api
    timeouts: { total: 5s }
pools:
  api:
    policy: { name: p2c, choices: 3 }
    endpoints:
      - 10.0.0.7:8080
      - { address: 10.0.0.8:8080, weight: 2.5, name: two }
    limits: { idle_connections_per_endpoint: 8 }
    timeouts: { connect: 2s, first_byte: 3s, idle: 4s, keep_alive: 5s }
admin: { address: 127.0.0.1:9901 }
workers: 4
engine: epoll
timeouts: { header: 1s, body_idle: 2s, send: 3s, keep_alive: 4s, drain: 0s }
limits:
  connections: 1000
  head_bytes: 32KiB
  target_bytes: 4KiB
  field_count: 64
  trailer_bytes: 1KiB
  chunk_extension_bytes: 0B
  request_body_bytes: 10MiB
  requests_per_connection: 7
  idle_endpoint_connections: 9
)";

TEST(Parse, everything_that_can_be_said) {
  const Config config = good(kFull);
  EXPECT_EQ(config.routes[0].match.host, "*.example.com") << "most specific first";
  EXPECT_EQ(config.routes[0].total_timeout, Duration::seconds(5));
  EXPECT_EQ(config.routes[1].total_timeout, Duration::seconds(300));
  const Pool& pool = config.pools.at(0);
  EXPECT_EQ(config.find_pool("api"), &pool);
  EXPECT_EQ(pool.policy.name, "p2c");
  EXPECT_EQ(pool.policy.choices, 3u);
  EXPECT_EQ(pool.endpoints[1].weight, 2.5);
  EXPECT_EQ(pool.endpoints[1].name, "two");
  EXPECT_EQ(pool.limits.idle_connections_per_endpoint, 8u);
  EXPECT_EQ(pool.timeouts.connect, Duration::seconds(2));
  EXPECT_EQ(pool.timeouts.first_byte, Duration::seconds(3));
  EXPECT_EQ(pool.timeouts.idle, Duration::seconds(4));
  EXPECT_EQ(pool.timeouts.keep_alive, Duration::seconds(5));
  EXPECT_EQ(config.admin->address.port, 9901);
  EXPECT_EQ(config.workers, 4u);
  EXPECT_EQ(config.engine, Engine::kEpoll);
  EXPECT_EQ(config.timeouts.header, Duration::seconds(1));
  EXPECT_EQ(config.timeouts.body_idle, Duration::seconds(2));
  EXPECT_EQ(config.timeouts.send, Duration::seconds(3));
  EXPECT_EQ(config.timeouts.keep_alive, Duration::seconds(4));
  EXPECT_EQ(config.timeouts.drain, Duration());
  EXPECT_EQ(config.limits.connections, 1000u);
  EXPECT_EQ(config.limits.head_bytes, 32768u);
  EXPECT_EQ(config.limits.target_bytes, 4096u);
  EXPECT_EQ(config.limits.field_count, 64u);
  EXPECT_EQ(config.limits.trailer_bytes, 1024u);
  EXPECT_EQ(config.limits.chunk_extension_bytes, 0u);
  EXPECT_EQ(config.limits.request_body_bytes, 10485760u);
  EXPECT_EQ(config.limits.requests_per_connection, 7u);
  EXPECT_EQ(config.limits.idle_endpoint_connections, 9u);
}

TEST(Parse, every_policy_by_its_bare_name) {
  for (const PolicyInfo& info : policy_catalog()) {
    const std::string yaml = std::string(kSmallest.substr(0, kSmallest.find("  web:"))) +
                             "  web: { policy: " + std::string(info.name) +
                             (info.uses_key ? ", key: client_ip" : "") +
                             ", endpoints: [10.0.0.7:80] }\n";
    EXPECT_EQ(good(yaml).pools.at(0).policy.name, info.name);
  }
}

TEST(Parse, settings_of_policies_of_choice) {
  const auto policy = [](const std::string& text) {
    return good(std::string(kSmallest.substr(0, kSmallest.find("  web:"))) +
                "  web: { policy: " + text + ", endpoints: [10.0.0.7:80] }\n")
        .pools.at(0)
        .policy;
  };
  EXPECT_EQ(policy("{ name: peak_ewma, choices: all }").choices, kChoicesAll);
  EXPECT_EQ(policy("{ name: peak_ewma, choices: auto }").choices, kChoicesAuto);
  EXPECT_EQ(policy("{ name: peak_ewma, choices: 64 }").choices, 64u);
  EXPECT_EQ(policy("{ name: p2c, beta: 0.5 }").beta, 0.5);
  EXPECT_TRUE(policy("{ name: p2c, replacement: true }").replacement);
  EXPECT_FALSE(policy("{ name: p2c, replacement: false }").replacement);
}

TEST(Parse, every_form_of_a_key) {
  using Kind = KeySource::Kind;
  const std::tuple<const char*, Kind, const char*> forms[] = {
      {"client_ip", Kind::kClientIp, ""},
      {"path", Kind::kPath, ""},
      {"host", Kind::kHost, ""},
      {"{ header: X-User }", Kind::kHeader, "X-User"},
      {"{ cookie: session_id }", Kind::kCookie, "session_id"},
      {"{ query: user.id }", Kind::kQuery, "user.id"},
  };
  for (const auto& [text, kind, name] : forms) {
    const Config config =
        good(std::string(kSmallest.substr(0, kSmallest.find("  web:"))) +
             "  web: { policy: ring, key: " + text + ", endpoints: [10.0.0.7:80] }\n");
    EXPECT_EQ(config.pools.at(0).key.kind, kind) << text;
    EXPECT_EQ(config.pools.at(0).key.name, name) << text;
  }
  EXPECT_EQ(good(kSmallest).pools.at(0).key.kind, Kind::kNone);
}

TEST(Parse, settings_of_keyed_policies) {
  const Config config = good(R"(listeners: [{ address: 127.0.0.1:80 }]
routes: [{ pool: a }, { pool: b, match: { path: /b } }]
pools:
  a: { policy: { name: bounded_load, load_factor: 1.5, over: rendezvous, points: 40 },
       key: host, endpoints: [10.0.0.7:80] }
  b: { policy: { name: maglev, table_size: 251 }, key: host, endpoints: [10.0.0.7:80] }
)");
  EXPECT_EQ(config.pools.at(0).policy.load_factor, 1.5);
  EXPECT_EQ(config.pools.at(0).policy.over, KeyedOver::kRendezvous);
  EXPECT_EQ(config.pools.at(0).policy.points, 40u);
  EXPECT_EQ(config.pools.at(1).policy.table_size, 251u);
}

TEST(Parse, routes_are_tried_most_specific_first) {
  const Config config = good(R"(listeners: [{ address: 127.0.0.1:80 }]
routes:
  - { pool: a }
  - { pool: a, match: { path: /long/er } }
  - { pool: a, match: { host: "*.com" } }
  - { pool: a, match: { host: "*.example.com" } }
  - { pool: a, match: { host: x.com } }
  - { pool: a, match: { host: x.com, path: /y } }
pools: { a: { endpoints: [10.0.0.7:80] } }
)");
  std::string order;
  for (const Route& route : config.routes) order += route.match.host + route.match.path + " ";
  EXPECT_EQ(order, "x.com/y x.com *.example.com *.com /long/er  ");
}

TEST(Parse, anchors_and_aliases) {
  const Config config = good(R"(listeners: [{ address: 127.0.0.1:80 }]
routes: [{ pool: a }, { pool: b, match: { path: /b } }]
pools:
  a: { endpoints: &e [10.0.0.7:80], timeouts: &t { connect: 2s } }
  b: { endpoints: *e, timeouts: *t }
)");
  EXPECT_EQ(config.pools.at(1).endpoints.at(0).address.host, "10.0.0.7");
  EXPECT_EQ(config.pools.at(1).timeouts.connect, Duration::seconds(2));
}

TEST(Parse, a_byte_order_mark_comments_and_crlf_are_fine) {
  std::string yaml = "\xef\xbb\xbf# \xc3\xa9\r\n\t# a tab before a comment\r\n";
  for (const char c : kSmallest) yaml += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(good(yaml).pools.size(), 1u);
}

TEST(Parse, warnings_name_what_is_odd) {
  const Config config = good(R"(listeners: [{ address: 127.0.0.1:80 }]
routes: [{ pool: a }]
pools:
  a: { endpoints: [10.0.0.7:80] }
  b: { endpoints: [10.0.0.7:80] }
admin: { address: 0.0.0.0:9901 }
)");
  ASSERT_EQ(config.warnings.size(), 2u);
  EXPECT_EQ(config.warnings[0].mark.line, 5);
  EXPECT_TRUE(config.warnings[0].message.contains("no route uses it"));
  EXPECT_TRUE(config.warnings[1].message.contains("other machines"));
}

TEST(Parse, limits_of_the_file) {
  EXPECT_FALSE(parse(std::string(kMaxFileBytes + 1, '#'), "f"));
  const std::string padded =
      std::string(kSmallest) + "#" + std::string(kMaxFileBytes - kSmallest.size() - 1, 'x');
  EXPECT_TRUE(parse(padded, "f")) << "a comment up to the last octet";
}

TEST(Parse, nested_aliases_cost_no_time) {
  std::string yaml = "x0: &x0 [a, a, a, a, a, a, a, a, a, a]\n";
  for (int i = 1; i < 20; ++i) {
    const std::string before = "*x" + std::to_string(i - 1);
    yaml += "x" + std::to_string(i) + ": &x" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) yaml += before + ", ";
    yaml += "]\n";
  }
  EXPECT_FALSE(parse(yaml, "f"));
}

TEST(Parse, aliases_count_as_what_they_stand_for) {
  std::string endpoints;
  for (int i = 0; i < 10'000; ++i) {
    endpoints += (i == 0 ? "" : ", ") + std::string("10.") + std::to_string(i / 250) + "." +
                 std::to_string(i % 250) + ".1:80";
  }
  std::string yaml = "listeners: [{ address: 127.0.0.1:80 }]\nroutes: [{ pool: p0 }]\npools:\n";
  for (int i = 0; i < 40; ++i) {
    yaml += "  p" + std::to_string(i) +
            ": { endpoints: " + (i == 0 ? "&e [" + endpoints + "]" : std::string("*e")) + " }\n";
  }
  const auto parsed = parse(yaml, "f");
  ASSERT_FALSE(parsed);
  EXPECT_TRUE(parsed.error().at(0).message.contains("counting what aliases stand for"));
}

TEST(Parse, messages_show_the_place) {
  const auto parsed = parse(
      "listeners: [{ adress: 127.0.0.1:80 }]\nroutes: [{ pool: a }]\n"
      "pools: { a: { endpoints: [10.0.0.7:80] } }\n",
      "conf/evener.yaml");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(to_string(parsed.error().at(1)),
            "conf/evener.yaml:1:15: error: a listener: unknown key `adress`, did you mean "
            "`address`?: expected `address` or `name`\n"
            "  listeners: [{ adress: 127.0.0.1:80 }]\n"
            "                ^");
}

TEST(Parse, WhoIsLeftOut) {
  const Config config = good(R"(
listeners: [{ address: 127.0.0.1:80 }]
routes: [{ pool: a }]
pools:
  a:
    endpoints: [10.0.0.7:80]
    ejection: { consecutive: 3, base: 5s, longest: 1m, max_share: 25%, failure_share: 0.5, window: 4s }
    warmup: 10s
    limits: { in_flight_per_endpoint: 100 }
  b: { endpoints: [10.0.0.7:80], ejection: off, warmup: off }
)");
  const EjectionSettings& ejection = config.pools.at(0).ejection;
  EXPECT_TRUE(ejection.enabled);
  EXPECT_EQ(ejection.consecutive, 3U);
  EXPECT_EQ(ejection.base, Duration::seconds(5));
  EXPECT_EQ(ejection.longest, Duration::seconds(60));
  EXPECT_EQ(ejection.window, Duration::seconds(4));
  EXPECT_EQ(ejection.max_share, 0.25);
  EXPECT_EQ(ejection.failure_share, 0.5);
  EXPECT_EQ(config.pools.at(0).warm_up.window, Duration::seconds(10));
  EXPECT_EQ(config.pools.at(0).limits.in_flight_per_endpoint, 100U);
  EXPECT_FALSE(config.pools.at(1).ejection.enabled);
  EXPECT_EQ(config.pools.at(1).warm_up.window, Duration());
}

}  // namespace
}  // namespace evener::config
