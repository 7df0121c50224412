// FleetPlan: what one seed of a whole-proxy run is: how many of what, on which network, with which
// faults.
//
// Swarm testing (Groce et al., 2012): each seed enables a random subset of what can go wrong, so
// that rare combinations come up and one loud fault does not hide the others. Plain values; any
// thread.
#pragma once

#include <evener/rng.h>
#include <evener/time.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/net/engine.h"
#include "sim/net/link.h"

namespace evener::lab::fleet {

// What an endpoint does in place of a plain answer.
enum class Mischief : std::uint8_t {
  kNone,
  kEarlyResponse,  // before the body was read, which it then reads or not
  kUnasked,        // a second response that nobody asked for
  kIdleClose,      // closes a kept connection without a word, soon or at once
  kTruncated,      // ends before the length it declared
  kResetInBody,    // resets within the body
  kGarbage,        // no HTTP
  kInterimStorm,   // many 1xx before the response, sometimes too many
  kTrickle,        // the body in small pieces with pauses
  kHugeHead,       // a head over the limit
  kEndless,        // a body that does not end until somebody gives up
  kExtraBytes,     // more bytes than the length it declared
  kHang,           // no answer
  kError,          // 500
  kOverloaded,     // 503 with Retry-After
  kCloseAtAccept,  // closes before a byte
  kNotModified,    // 304 and 204, which have no body
  kByClose,        // a body that ends with the connection
  kSwitch,         // 101, which nobody asked for
};
inline constexpr std::size_t kMischiefs = 19;
std::string_view to_string(Mischief mischief);

// What a client does in place of a plain exchange.
enum class Manner : std::uint8_t {
  kPlain,
  kAbandon,     // leaves at a random moment
  kHalfClose,   // ends its direction after the request
  kSlowReader,  // reads with pauses
  kPipelined,   // sends the next request before the response
  kSlowUpload,  // a chunked body in pieces with pauses
  kExpect,      // waits for 100 Continue
  kOld,         // HTTP/1.0
  kHead,        // HEAD
  kMalformed,   // breaks a rule of RFC 9112
  kFresh,       // a connection of its own, closed afterwards
};
inline constexpr std::size_t kManners = 11;
std::string_view to_string(Manner manner);

enum class FaultKind : std::uint8_t {
  kKillEndpoint,       // and restart
  kFreezeEndpoint,     // SIGSTOP
  kPartitionEndpoint,  // from one proxy
  kPartitionClient,    // clients from one proxy
  kDownEndpoint,       // its host vanishes from the network
  kUnreachable,        // no route to it
  kSlowEndpoint,       // service takes 20 times as long
  kCut,                // a share of an endpoint's connections break
  kCutClients,         // the same for clients' connections
  kFewDescriptors,     // a proxy runs out of them
  kFreezeProxy,
  kKillProxy,      // and restart
  kRollProxy,      // drain, with its successor listening beside it: a reload by restart
  kRollEndpoints,  // each restarted in turn
};
inline constexpr std::size_t kFaultKinds = 14;
std::string_view to_string(FaultKind kind);

struct Fault {
  Time at;
  Time until;
  FaultKind kind{};
  std::uint32_t target = 0;  // modulo how many there are
  double amount = 0;         // in [0, 1)
};

struct FleetPlan {
  std::uint64_t seed = 0;
  std::uint32_t proxies = 1;
  std::uint32_t workers = 1;  // per proxy
  std::uint32_t endpoints = 4;
  std::uint32_t pools = 1;  // endpoint i is in pool i % pools; requests name theirs in the path
  std::uint32_t clients = 4;
  double rate = 200;                             // requests per second, all clients together
  Duration service = Duration::milliseconds(2);  // mean, exponential
  Duration faulty = Duration::seconds(10);       // until then things go wrong
  Duration settle = Duration::seconds(40);  // stated: after so much more every request succeeds
  Duration proof = Duration::seconds(5);    // and is asked for so long
  sim::Link link;
  sim::ProcessOptions proxy_process;
  sim::ProcessOptions other_process;
  double mischief = 0;  // share of requests an endpoint answers in one of these ways
  std::vector<Mischief> mischiefs;
  double manner = 0;  // share of requests that a client makes in one of these
  std::vector<Manner> manners;
  std::uint32_t body_max = 20'000;    // of requests and responses
  std::uint32_t connections_max = 0;  // per worker; 0: no limit
  std::uint32_t in_flight_max = 0;
  Duration client_idle = Duration::seconds(1);  // a client keeps a connection so long
  std::vector<Fault> faults;
  std::string settings;  // of the configuration: all but the endpoints
  // What every second incarnation of a proxy has in their place: a reload by restart.
  std::string next_settings;

  // The configuration file for these endpoints, as `evener run` would read it. `next`: of every
  // second incarnation, which also lists them the other way round.
  std::string config_yaml(const std::vector<std::string>& endpoint_addresses, bool next) const;
  // One line for people.
  std::string summary() const;
};

FleetPlan draw_plan(std::uint64_t seed);
// The plan without anything that goes wrong: for speed, and to see that nothing fails then.
FleetPlan calm_plan(std::uint64_t seed);

}  // namespace evener::lab::fleet
