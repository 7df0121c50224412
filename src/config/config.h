// What a configuration file says, checked and completed: the Config value and nothing else.
//
// Plain values with their defaults, made by parse() in parse.h, immutable afterwards; copy or share
// freely between threads. Every default is finite and listed by settings() (settings.h), from which
// docs/reference/configuration.md is checked. Keys of later versions are errors, never ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evener/ejection.h"
#include "evener/policy.h"
#include "evener/time.h"
#include "evener/warm_up.h"

namespace evener::config {

// Where in the file a thing was said; lines and columns from 1, 0 for "nowhere: a default".
struct SourceMark {
  int line = 0;
  int column = 0;
};

// A numeric address with a port: "10.0.0.7:8080", "[2001:db8::1]:8080". Names are not looked up
// here.
struct Address {
  std::string host;  // numeric, no brackets
  std::uint16_t port = 0;
  bool ipv6 = false;

  bool operator==(const Address&) const = default;
};
std::string to_string(const Address& address);  // with brackets if IPv6

struct Listener {
  std::string name;  // "listener-0" ... when the file gives none
  Address address;   // port 0: any free port
  SourceMark mark;
};

// Empty members match everything.
struct Match {
  // Lower case, no port. Exact, or "*.example.com": any name that ends in ".example.com".
  std::string host;
  std::string path;  // a prefix, octet for octet, of the target's path; begins with '/'
};

struct Route {
  Match match;
  std::string pool;
  std::size_t pool_index = 0;  // in Config::pools
  // From the request's head to the response's last octet.
  Duration total_timeout = Duration::seconds(300);
  SourceMark mark;
};

struct EndpointConfig {
  Address address;
  std::string name;  // the address when the file gives none
  double weight = 1;
  SourceMark mark;
};

using evener::Estimator;

// The library's settings, as the file has them; only those that the policy takes can be given.
struct PolicyConfig : PolicySettings {
  SourceMark mark;
};

// Towards endpoints.
struct PoolTimeouts {
  Duration connect = Duration::seconds(1);
  Duration first_byte = Duration::seconds(15);  // request sent to response head
  Duration idle = Duration::seconds(60);        // between two pieces of a response body
  Duration keep_alive = Duration::seconds(55);  // an unused connection in the pool
};

struct PoolLimits {
  std::uint32_t idle_connections_per_endpoint = 64;  // kept for reuse, per worker
  std::uint32_t in_flight_per_endpoint = 0;          // from all workers; 0: no limit
};

// What of a request a keyed policy hashes. A request that lacks it, or has it empty, has no key.
struct KeySource {
  enum class Kind : std::uint8_t { kNone, kClientIp, kPath, kHost, kHeader, kCookie, kQuery };
  Kind kind = Kind::kNone;
  std::string name;  // of the header, cookie or query parameter
  SourceMark mark;
};

struct Pool {
  std::string name;
  std::vector<EndpointConfig> endpoints;
  PolicyConfig policy;
  KeySource key;  // given if and only if the policy uses one
  EjectionSettings ejection;
  WarmUpSettings warm_up;
  PoolTimeouts timeouts;
  PoolLimits limits;
  SourceMark mark;
};

struct Admin {
  Address address;
  SourceMark mark;
};

enum class Engine : std::uint8_t { kAuto, kEpoll, kUring };

// Towards clients.
struct ClientTimeouts {
  Duration header = Duration::seconds(10);      // from the head's first octet to its last
  Duration body_idle = Duration::seconds(30);   // between two pieces of a request body
  Duration send = Duration::seconds(30);        // a client that takes no octet of a response
  Duration keep_alive = Duration::seconds(75);  // an idle connection
  Duration drain = Duration::seconds(10);       // open exchanges when the process stops
};

struct Limits {
  std::uint32_t connections = 0;                   // per worker; 0: from RLIMIT_NOFILE
  std::uint32_t head_bytes = 64 * 1024;            // as http::ParserLimits; requests, responses
  std::uint32_t target_bytes = 8 * 1024;           // as http::ParserLimits
  std::uint32_t trailer_bytes = 8 * 1024;          // as http::ParserLimits
  std::uint32_t chunk_extension_bytes = 256;       // as http::ParserLimits
  std::uint16_t field_count = 128;                 // as http::ParserLimits
  std::uint64_t request_body_bytes = 1ULL << 30;   // beyond: 413
  std::uint32_t requests_per_connection = 10'000;  // then the client's connection is closed
  std::uint32_t idle_endpoint_connections = 1024;  // per worker, all pools together
};

struct Warning {
  SourceMark mark;
  std::string message;
};

struct Config {
  std::vector<Listener> listeners;  // at least one
  std::vector<Route> routes;        // at least one; in the order in which they are tried
  std::vector<Pool> pools;          // at least one; in the file's order
  std::optional<Admin> admin;
  std::uint32_t workers = 0;  // 0: one per core
  Engine engine = Engine::kAuto;
  ClientTimeouts timeouts;
  Limits limits;
  std::vector<Warning> warnings;

  const Pool* find_pool(std::string_view name) const;
};

}  // namespace evener::config
