// Balancer and Ticket: the only place where facts (EndpointSet), counts (slots) and choice (Policy)
// meet, and the only thing that comes out.
//
// One Balancer per worker and pool, owned by one thread, which passes the time in; nothing here
// reads a clock, locks, or asks for entropy. A Ticket is one request on its way: it counts as in
// flight from pick until finish or destruction, whatever happens to the endpoint or the Balancer
// meanwhile (a Balancer destroyed first leaves its counts to the last ticket).
// Cost: pick and finish are O(1) for random, p2c and peak_ewma, O(log n) for round_robin (O(1) with
// equal weights), O(1) for ring, maglev and bounded_load over a ring, O(log n) for jump, O(n) for
// least_request, rendezvous, two_choice_hash and bounded_load over rendezvous; no allocation. apply
// is O(n) and allocates. tick is bounded.
//
// Retries pass the endpoints already tried; they come back only as PickError::kAllTried.
// Nothing eligible is PickError::kNoneEligible: there is no panic mode yet that would pick among
// endpoints that are down (a later issue), and never a silent first endpoint.
#pragma once

#include <evener/endpoint.h>
#include <evener/key.h>
#include <evener/policy.h>
#include <evener/time.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evener {

enum class PickError : std::uint8_t {
  kNoEndpoints,   // the set is empty, or none was applied
  kNoneEligible,  // endpoints exist; all are down or draining
  kAllTried,      // every eligible endpoint is in PickRequest::tried
};
std::string_view to_string(PickError error);

enum class Outcome : std::uint8_t {
  kSuccess,
  kFailure,    // the endpoint's fault: 5xx, reset, connect failure, timeout
  kCancelled,  // the client went away or we gave up; its latency is only a lower bound
  kRejected,   // refused locally, never sent: charges nothing
};
std::string_view to_string(Outcome outcome);

struct PickRequest {
  Time now;
  std::span<const EndpointId> tried = {};  // not picked again; ids not in the set are ignored
  // For keyed policies (PolicyInfo::uses_key), from make_key: requests of one key stay together.
  // Without one they compare two endpoints at random by requests in flight.
  std::optional<Key> key = {};
};

namespace balance_internal {
class Core;
}

class [[nodiscard]] Ticket {
 public:
  Ticket() = default;
  Ticket(Ticket&& other) noexcept { take(other); }
  Ticket& operator=(Ticket&& other) noexcept {
    if (this != &other) {
      drop();
      take(other);
    }
    return *this;
  }
  // A dropped ticket is cancelled, at the last time the balancer was told.
  ~Ticket() { drop(); }

  // Whether this still holds a unit in flight.
  explicit operator bool() const { return core_ != nullptr; }
  // REQUIRES: bool(*this), for both. The reference holds until the ticket is finished or destroyed;
  // its fields follow later sets (weight, draining), its id never changes.
  EndpointId id() const;
  const Endpoint& endpoint() const;
  Time started() const { return start_; }

  // The response's first byte is here: the request no longer ages, and its latency is this one.
  // Only the first call counts. It may raise the estimate at once; lowering waits for kSuccess.
  void first_byte(Time now) noexcept;
  // Gives the unit back, once; later calls do nothing. A time before the pick counts as the pick's.
  void finish(Outcome outcome, Time now) noexcept;

 private:
  friend class balance_internal::Core;
  Ticket(balance_internal::Core* core, std::uint32_t slot, Time start) noexcept
      : start_(start), core_(core), slot_(slot) {}
  void drop() noexcept {
    if (core_ != nullptr) cancel();
  }
  void cancel() noexcept;
  void take(Ticket& other) noexcept {
    core_ = std::exchange(other.core_, nullptr);
    start_ = other.start_;
    first_byte_ns_ = other.first_byte_ns_;
    slot_ = other.slot_;
  }

  // In this order moving needs no load wider than the stores before it.
  Time start_;
  balance_internal::Core* core_ = nullptr;
  std::int64_t first_byte_ns_ = -1;  // latency of the first byte; -1 before it, -2 once sampled
  std::uint32_t slot_ = 0;
};

struct BalancerOptions {
  PolicySettings policy = {};
  std::uint64_t seed = 0;    // give each worker its own
  std::uint32_t worker = 0;  // this worker's row on the set's LoadBoard
};

struct EndpointStatus {
  EndpointId id{};
  std::string_view name;  // valid until the next apply
  double weight = 1;
  bool up = true;
  bool draining = false;
  bool eligible = false;
  std::uint32_t in_flight = 0;
  std::uint32_t elsewhere = 0;  // in flight from other workers, as last folded in by tick
  Duration latency;             // the estimate that a pick would use now
  double success = 1;           // share of successes in the window, with a small prior
  // Failures since the last success, counted up to 6; from the second on they raise the cost.
  std::uint32_t failures_in_row = 0;
  double cost = 0;          // what a pick would compare now; 0 for policies without a cost
  std::uint64_t picks = 0;  // since the endpoint was first seen, as the next four
  std::uint64_t successes = 0;
  std::uint64_t failures = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t rejected = 0;
  std::string_view reason;  // "eligible", "down", "draining", "leaving"; static storage
};

// Why the last pick went where it went. cost = latency x (in_flight + elsewhere + 1)
// / (weight x warmup x success), with the terms the policy does not use left at 1 (latency at 0).
struct Explanation {
  struct Candidate {
    EndpointId id{};
    std::string name;
    Duration latency;
    std::uint32_t in_flight = 0;
    std::uint32_t elsewhere = 0;
    double weight = 1;
    double warmup = 1;
    double success = 1;  // the factor used, not the share: see balance/slot.h
    double cost = 0;
    bool chosen = false;
    std::string_view note;  // why a costlier one was taken: "probe", else empty
  };
  struct Excluded {
    EndpointId id{};
    std::string name;
    std::string_view reason;  // "down", "draining", "tried"
  };

  std::uint64_t sequence = 0;  // number of the pick; 0: none yet
  Time at;
  std::string policy;
  std::vector<Candidate> candidates;
  std::vector<Excluded> excluded;
};
// Several lines of text for a terminal or a log.
std::string to_string(const Explanation& explanation);

class Balancer {
 public:
  // REQUIRES: make_policy(options.policy) succeeds (check_settings first for what a user wrote).
  explicit Balancer(BalancerOptions options);
  ~Balancer();
  Balancer(Balancer&&) noexcept;
  Balancer& operator=(Balancer&&) noexcept;

  // Takes the set's facts. Counts carry over by identity, whatever else changed. An endpoint that
  // left lives on while its tickets do; if its identity comes back before that, the same slot is
  // revived, counts and estimate included, so late feedback is true; after that it is a newcomer.
  // REQUIRES: set; if it has a board, options.worker < board->workers().
  void apply(EndpointSetPtr set, Time now);

  std::expected<Ticket, PickError> pick(const PickRequest& request) noexcept;

  // To be called every few milliseconds: folds in a slice of the other workers' counts, refreshes
  // the pool's median.
  void tick(Time now);

  Explanation explain() const;
  // Replaces `out` by one entry per endpoint of the set, in its order.
  void snapshot(Time now, std::vector<EndpointStatus>& out) const;
  std::size_t eligible() const;
  // Tickets out, those of endpoints that left included.
  std::uint64_t in_flight() const;
  // The set last applied, or null.
  const EndpointSetPtr& set() const;

 private:
  std::unique_ptr<balance_internal::Core> core_;
};

}  // namespace evener
