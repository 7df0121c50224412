// Balancer and Ticket: the only place where facts (EndpointSet), counts (slots) and choice (Policy)
// meet, and the only thing that comes out.
//
// One Balancer per worker and pool, owned by one thread, which passes the time in; nothing here
// reads a clock, locks, or asks for entropy. A Ticket is one request on its way: it counts as in
// flight from pick until finish or destruction, whatever happens to the endpoint or the Balancer
// meanwhile (a Balancer destroyed first leaves its counts to the last ticket).
// Cost: finish is O(1), pick is what its policy states (docs/policies.md), O(1) for the default;
// neither allocates. apply is O(n) and allocates. tick is bounded.
//
// Eligible is what is up, not draining, not ejected, not asked to be left alone, and below its
// limit. Retries pass the endpoints already tried; they come back only as PickError::kAllTried.
// Nothing eligible: see Panic; never a silent first endpoint.
#pragma once

#include <evener/ejection.h>
#include <evener/endpoint.h>
#include <evener/error.h>
#include <evener/key.h>
#include <evener/policy.h>
#include <evener/pushback.h>
#include <evener/time.h>
#include <evener/warm_up.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
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
  kAllBusy,       // those that could be picked hold as many requests as they may: wait, or refuse
};
std::string_view to_string(PickError error);

enum class Outcome : std::uint8_t {
  kSuccess,
  kFailure,    // the endpoint's fault: 5xx, reset, connect failure, timeout
  kCancelled,  // the client went away or we gave up; its latency is only a lower bound
  kRejected,   // refused locally, never sent: charges nothing
  // The endpoint says that it has too much to do (429, 503, RESOURCE_EXHAUSTED): raises its cost,
  // never ejects it.
  kOverloaded,
  // The connect was refused or failed: nothing was sent. A failure, and the endpoint is left out
  // for PushbackSettings::refused.
  kConnectFailed,
};
inline constexpr std::size_t kOutcomes = 6;
std::string_view to_string(Outcome outcome);

struct PickRequest {
  Time now;
  std::span<const EndpointId> tried = {};  // not picked again; ids not in the set are ignored
  // For keyed policies (PolicyInfo::uses_key), from make_key: requests of one key stay together.
  // Without one they compare two endpoints at random by requests in flight.
  std::optional<Key> key = {};
};

// What an endpoint says of itself: in answers (ORCA, response headers) or in reply to probes.
struct EndpointReport {
  std::optional<double> utilization = {};       // of its capacity; 1: full; not negative
  std::optional<std::uint32_t> in_flight = {};  // requests it holds, from everybody
  std::optional<Duration> latency = {};         // of requests begun at about that load
};

class CustomPolicy;  // evener/custom_policy.h

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
  // `retry_after`: how long the endpoint asked to be left alone (Retry-After, gRPC pushback).
  void finish(Outcome outcome, Time now, Duration retry_after = Duration()) noexcept;
  // What the endpoint said of itself in this answer; policies that take reports use it.
  void report(const EndpointReport& report, Time now) noexcept;

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
  std::int64_t first_byte_ns_ = -1;  // latency of the first byte; see Core::first_byte
  std::uint32_t slot_ = 0;
};

// Who is picked when nothing is eligible and nobody is merely busy. Always at random by weight, and
// explained as panic.
enum class Panic : std::uint8_t {
  kError,    // nobody: PickError::kNoneEligible
  kMembers,  // those that are up, though ejected or asked to be left alone
  kAll,      // those that are down as well: for when health checks may be what fails
};

// What to remember of decisions, for Balancer::decisions. 0 entries: nothing, at no cost.
struct DecisionSettings {
  std::uint32_t entries = 0;  // the last so many, at most kDecisionsMax; about 800 bytes each
  std::uint32_t every = 64;   // one pick in so many is remembered; at least 1
};
inline constexpr std::uint32_t kDecisionsMax = 65'536;

// In the library nothing happens that was not asked for: ejection and warm-up are off. `evener run`
// turns them on.
struct BalancerOptions {
  PolicySettings policy = {};
  std::uint64_t seed = 0;    // give each worker its own
  std::uint32_t worker = 0;  // this worker's row on the set's LoadBoard
  EjectionSettings ejection = {.enabled = false};
  WarmUpSettings warm_up = {.window = Duration()};
  PushbackSettings pushback = {};
  // Most requests in flight to one endpoint, other workers' included; 0: no limit. Exact for one
  // worker; several may exceed it by what they pick between two ticks.
  std::uint32_t max_in_flight = 0;
  Panic panic = Panic::kMembers;
  DecisionSettings decisions = {};
  // A second policy that sees every pick and is not obeyed: see Balancer::shadow.
  std::optional<PolicySettings> shadow = {};
  // Makes a policy of one's own (evener/custom_policy.h), to be obeyed in place of one from the
  // catalog; policy.name then names it in explanations. Must not return null.
  std::function<std::unique_ptr<CustomPolicy>()> custom = {};
};

// Checks every range; what it accepts, Balancer accepts.
std::expected<void, Error> check_options(const BalancerOptions& options);

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
  double warmup = 1;            // warm-up factor: below 1 while it takes a part of its share
  double success = 1;           // share of successes in the window, with a small prior
  // Failures since the last success, counted up to 6; from the second on they raise the cost.
  std::uint32_t failures_in_row = 0;
  double cost = 0;          // what a pick would compare now; 0 for policies without a cost
  std::uint64_t picks = 0;  // since the endpoint was first seen, as the next six
  std::uint64_t successes = 0;
  std::uint64_t failures = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t rejected = 0;
  std::uint64_t overloaded = 0;
  std::uint64_t connect_failed = 0;
  // "eligible", "down", "draining", "leaving", "full", or for how long it is out and why.
  std::string reason;
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
    // Why it was taken although others may be cheaper: "probe", "trial", "warm-up", "panic"; else
    // empty.
    std::string_view note;
  };
  struct Excluded {
    EndpointId id{};
    std::string name;
    std::string reason;  // "tried", else as in EndpointStatus
  };

  std::uint64_t sequence = 0;  // number of the pick; 0: none yet
  Time at;
  std::string policy;
  bool custom = false;  // costs are a custom policy's own, of other terms or none
  std::vector<Candidate> candidates;
  std::vector<Excluded> excluded;
};
// Several lines of text for a terminal or a log.
std::string to_string(const Explanation& explanation);

// What a policy that was not obeyed would have done.
struct ShadowReport {
  std::string policy;
  std::uint64_t picks = 0;    // it was asked
  std::uint64_t differs = 0;  // and named another endpoint
  // Where they differ: mean of its choice's load over that of the one taken, (in flight + 1) /
  // weight; above 1 it would have gone to busier endpoints. And the same with the cost of
  // peak_ewma. 1 while they never differ.
  double load_ratio = 1;
  double cost_ratio = 1;
};

class Balancer {
 public:
  // REQUIRES: check_options(options) succeeds.
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
  // Places tickets.size() tasks of one job at once: looks at `probes` x that many distinct
  // endpoints (all, when there are fewer) and gives each task to the one that costs least, counting
  // the tasks placed before it. Fills `tickets` from the front and returns how many were placed:
  // fewer only when endpoints reach their limit. Whatever the policy, cost is that of peak_ewma
  // where the policy uses latency, else load per weight. O(k log k) for k endpoints looked at; no
  // allocation. Source: batch sampling, Ousterhout et al., Sparrow, SOSP 2013, section 3.3.
  std::expected<std::size_t, PickError> pick_batch(const PickRequest& request, std::uint32_t probes,
                                                   std::span<Ticket> tickets) noexcept;

  // What an endpoint said of itself outside an answer, in reply to a probe. Unknown ids are
  // ignored.
  void report(EndpointId id, const EndpointReport& report, Time now) noexcept;

  // All counts but in-flight ones, to go on with in another process (hot restart): estimates,
  // success windows, outcome counters, warm-up and ejection, by endpoint identity. Not pushback,
  // nor what only counts toward an ejection: the next answers tell. A versioned blob with a
  // checksum.
  std::string save(Time now) const;
  // Takes over what save() returned, for endpoints of the present set; the rest is ignored. The
  // clock may be another one. A blob that is damaged or of another version changes nothing and is
  // an error that says so.
  std::expected<void, Error> restore(std::string_view blob, Time now);

  // To be called every few milliseconds: folds in a slice of the other workers' counts, refreshes
  // the pool's median.
  void tick(Time now);

  // The last pick. What was excluded is told as of now.
  Explanation explain() const;
  // The last `most` remembered decisions, newest first (BalancerOptions::decisions). Endpoints that
  // have left since are told by identity alone.
  std::vector<Explanation> decisions(std::size_t most) const;
  // What the shadow would have done; an empty policy name when there is none.
  ShadowReport shadow() const;
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
