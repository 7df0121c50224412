// Fleet: calls that balancers assign to servers, in virtual time, until an end; and what it was
// like.
//
// The life of a call: it comes to a balancer, whose Chooser names a server; the message takes its
// delay; the server queues, serves, fails or refuses as its condition is; the answer takes its
// delay; a time-out may come first; a failed attempt may be made again elsewhere, and an attempt
// that takes long beside itself (a hedge: the first success wins, the other attempt is cancelled),
// if the budget allows. A call's work is one draw, the same for all its attempts: it is the
// request's, what speed it meets is the server's. Each call ends exactly once. Owned by one thread;
// one fleet, one run. The result is a function of the options (and of what the choosers do). Cost:
// about 0.2 us per call without delays and time-outs on a small fleet; 64 bytes per request out
// beside the chooser's own, 64 per server; no allocation in steady state.
#pragma once

#include <evener/hedge.h>
#include <evener/retry_budget.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/fault_clock.h"
#include "sim/fleet_options.h"
#include "sim/measures.h"
#include "sim/roster.h"
#include "sim/server_bank.h"
#include "sim/slab.h"
#include "sim/world.h"

namespace evener::sim {

// How a call ended.
enum class CallEnd : std::uint8_t {
  kSuccess,
  kFailed,      // the last attempt: the server's answer, or a reset
  kTimedOut,    // the last attempt
  kRefused,     // connect failed, at the last attempt
  kOverloaded,  // the last attempt's server had too much to do
  kNoEndpoint,  // no server to choose
};
inline constexpr std::size_t kCallEnds = 6;
std::string_view to_string(CallEnd end);

struct FleetSample {
  double at_s = 0;
  std::uint64_t calls = 0;  // ended since the last sample
  std::uint64_t errors = 0;
  double mean_s = 0;  // of the successes among them
  double max_s = 0;
  std::vector<std::uint32_t> in_system;  // by server
};

struct FleetResult {
  // Of the calls that came after the warm-up.
  TimeTally times;  // of the successes
  std::array<std::uint64_t, kCallEnds> ends{};
  std::uint64_t calls = 0;     // ended
  std::uint64_t attempts = 0;  // of all calls, the warm-up's included, as the next three
  std::uint64_t started = 0;
  std::uint64_t unfinished = 0;       // when the drain time was over
  std::uint64_t retries_refused = 0;  // by the budget
  std::uint64_t hedges = 0;           // attempts made beside another
  std::uint64_t hedges_refused = 0;   // by the budget
  std::uint64_t hedges_won = 0;       // their answer was the first
  // Between the end of the warm-up and of the arrivals.
  double from_s = 0;
  double until_s = 0;
  std::vector<double> tail;  // [k]: share of servers and time with at least k requests
  double work_s = 0;         // of the attempts made between from_s and until_s, at speed 1
  double mean_queue = 0;     // per server
  std::uint32_t longest_queue = 0;
  std::vector<std::uint32_t> picks;  // by server, of all attempts
  std::vector<FleetSample> series;
  // Seconds of each call, however it ended, in the order of the ends: from the very first until
  // arrivals ended.
  Course course;
  std::uint64_t events = 0;
  // Why it stopped before its end; empty if it did not.
  std::string stopped;

  std::uint64_t errors() const { return calls - ends[0]; }
  double tail_at(std::uint32_t k) const { return k < tail.size() ? tail[k] : 0; }
};

class Fleet final : public Actor, private ServerBank::Sink, private FaultClock::Sink {
 public:
  // REQUIRES: check(options) succeeds.
  explicit Fleet(FleetOptions options);
  ~Fleet();

  // Once.
  FleetResult run();

  void fire(std::uint64_t payload) override;

 private:
  enum class Event : std::uint8_t {
    kArrival,
    kThought,   // a user
    kReached,   // a job's message, its server
    kAnswered,  // a job's answer, its balancer
    kFailedFast,
    kTimeout,
    kHedge,
    kRetry,
    kTick,
    kWarmer,
    kStep,    // of a roll-out
    kNotice,  // to a balancer
    kSample,
    kUntil,
    kDrained,
  };
  enum Flag : std::uint8_t {
    kMeasured = 1,
    kAbandoned = 2,
    kLost = 4,
    kAnswering = 8,
    kQueued = 16,
    kHedgeAttempt = 32,  // the second of two
  };
  // What a call's further attempts need, by job.
  struct Again {
    std::array<std::uint32_t, RetrySettings::kAttemptsMax> tried{};
    double work = 0;
    EventId hedge = EventId::kNone;  // to come
    std::uint32_t twin = kNoIndex;   // the attempt beside this one
    bool hedged = false;             // the call has had its hedge
  };
  struct Notice {
    EndpointSetPtr set;
    std::uint32_t balancer;
  };

  static std::uint64_t payload(Event event, std::uint64_t index) {
    return std::uint64_t{static_cast<std::uint8_t>(event)} << 56 | index;
  }
  void schedule(Duration delay, Event event, std::uint64_t index) {
    world_.after(delay, *this, payload(event, index));
  }

  // fleet.cc: the life of a call.
  void arrival();
  void begin_call(std::uint32_t user);
  void attempt(std::uint32_t job);
  void send(std::uint32_t job, const Choice& choice);
  void reached(std::uint32_t job);
  void enter_server(std::uint32_t job);
  bool lost(const Job& job) const;
  void reached_faulty(std::uint32_t job);
  void served(std::uint32_t server, std::uint32_t job) override;
  void answer(std::uint32_t job, Outcome outcome);
  void answered(std::uint32_t job);
  void end_call(std::uint32_t job, CallEnd end);
  void free_job(std::uint32_t job) { jobs_.give_back(job); }

  // fleet_again.cc: attempts that end badly or take long, and what follows.
  void timed_out(std::uint32_t job);
  void attempt_failed(std::uint32_t job, CallEnd end);
  bool may_retry(const Job& job);
  void tell(const Job& job, const Answer& answer);
  void abandon(std::uint32_t job, bool skip);
  void expect_hedge(std::uint32_t job);
  void hedge(std::uint32_t job);
  void won(std::uint32_t job);
  bool twin_goes_on(std::uint32_t job);

  // fleet_events.cc: what happens around calls.
  void prepare();
  void fire_rare(Event event, std::uint64_t index);
  void begin_measuring();
  void stop_arrivals();
  void stop(std::string why);
  void condition_changed(std::uint32_t server, const Condition& before) override;
  void reset_jobs(std::uint32_t server);
  void begin_cold(std::uint32_t server);
  void warmer(std::uint32_t server);
  void refresh_speed(std::uint32_t server);
  void step(const Roster::Step& step);
  void apply(std::uint32_t balancer, const EndpointSetPtr& set);
  void sample();
  void check_counts() const;
  FleetResult finish();

  FleetOptions options_;
  World world_;
  Slab<Job> jobs_;
  ServerBank bank_;
  FaultClock faults_;
  Roster roster_;
  std::vector<std::unique_ptr<Chooser>> choosers_;
  std::vector<Rng> chooser_luck_;
  std::vector<RetryBudget> budgets_;  // if there are further attempts, as the next two
  std::vector<HedgeDelay> hedge_delays_;
  std::vector<std::uint64_t> out_;       // attempts, by balancer
  std::vector<std::uint64_t> versions_;  // of the set applied, by balancer
  std::vector<Again> again_;             // by job
  std::vector<Notice> notices_;
  std::vector<std::uint32_t> reset_;
  std::vector<std::uint16_t> group_of_;  // by server
  std::vector<float> warmth_;            // by server, if any begins cold
  std::optional<ArrivalProcess> process_;

  Rng work_luck_;
  Rng delay_luck_;
  Rng assign_luck_;
  Rng key_luck_;
  Rng error_luck_;
  Rng think_luck_;

  bool delays_out_;
  bool delays_back_;
  bool measuring_ = false;
  bool arrivals_over_ = false;
  bool over_ = false;
  std::uint32_t next_balancer_ = 0;
  std::uint64_t out_all_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t ended_ = 0;
  Time still_since_;                // when calls last came at another time
  std::uint64_t started_then_ = 0;  // calls until then
  QueueLevels levels_;
  FleetResult result_;
  FleetSample present_;  // of the series
};

// check(options), then one run.
std::expected<FleetResult, Error> run_fleet(const FleetOptions& options);

}  // namespace evener::sim
