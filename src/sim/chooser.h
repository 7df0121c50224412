// Chooser: whatever assigns calls to servers in the simulator: the real Balancer
// (balancer_chooser.h), a peer's rule, a rule from theory.
//
// One per simulated balancer, owned by the fleet, one thread. Time and luck come in with each call.
// Endpoint ids in the sets it is given are the numbers of the servers.
#pragma once

#include <evener/balancer.h>
#include <evener/endpoint.h>
#include <evener/rng.h>
#include <evener/time.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace evener::sim {

class ServerBank;

struct ChoiceRequest {
  Time now;
  Rng& rng;                                   // this balancer's own stream
  std::uint64_t key = 0;                      // calls of one key have the same
  std::span<const std::uint32_t> tried = {};  // servers not to be chosen again
  double work = 0;  // seconds at speed 1; only for rules that are to know what nobody can
};

struct Choice {
  std::uint32_t server;
  std::uint32_t token = 0;  // the chooser's own, given back with done()
};

// How an attempt ended, as the balancer sees it.
struct Answer {
  Outcome outcome = Outcome::kSuccess;
  Time sent;
  Time now;
  bool timed_out = false;
  // What the server said of itself, if the fleet's servers do (FleetOptions::reports).
  EndpointReport report = {};
  Duration retry_after = {};

  Duration latency() const { return now - sent; }
};

class Chooser {
 public:
  virtual ~Chooser() = default;
  // A server of the present set that was not tried, or nothing.
  virtual std::optional<Choice> choose(const ChoiceRequest& request) = 0;
  // Called once for each choice.
  virtual void done(const Choice& choice, const Answer& answer) = 0;
  // The set has changed. Choices that are out stay out.
  virtual void apply(const EndpointSetPtr& set, Time now) = 0;
  // Called every FleetOptions::tick_every.
  virtual void tick(Time now) { static_cast<void>(now); }
  // Choices that are out, if it counts them; the fleet compares with its own count.
  virtual std::optional<std::uint64_t> in_flight() const { return std::nullopt; }
};

// What a chooser may hold on to. The bank is the truth about the servers: for rules that are told
// the truth (bulletin boards, least work left), not for those that would have to guess.
struct ChooserContext {
  std::uint32_t balancer = 0;  // this one's number
  std::uint32_t balancers = 1;
  std::uint64_t seed = 0;
  const ServerBank& servers;
};
using ChooserFactory = std::function<std::unique_ptr<Chooser>(const ChooserContext&)>;

}  // namespace evener::sim
