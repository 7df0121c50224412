// Ejector: who is ejected, by slot (rules and settings: evener/ejection.h).
//
// Owned by the Core of one Balancer; one thread. Events (finished, first_byte) only note facts; who
// is in or out changes in `pass` alone, the one owner of the count, which it takes anew each time.
// Late answers to requests from before an ejection or a return say nothing about the time after it.
//
// States: in -> out (for its time) -> half open (waits for a request) -> trial (has it) -> in or
// out. All but `in` are kept out of the choice; the owner sends the next request it has to one that
// is half open, and says so by begin_trial.
//
// Cost: events O(1), no allocation. pass: O(1) when nothing is due; else O(ejected); ten times per
// window it looks at every member, at most 4,096 per pass. Only resize and reason allocate.
// About 230 bytes per slot.
#pragma once

#include <evener/balancer.h>
#include <evener/ejection.h>
#include <evener/rng.h>
#include <evener/time.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "balance/state/outliers.h"
#include "balance/state/slot_set.h"

namespace evener {

class Ejector {
 public:
  enum class State : std::uint8_t { kIn, kOut, kHalfOpen, kTrial };

  // REQUIRES: check_settings(settings) succeeds.
  explicit Ejector(const EjectionSettings& settings);

  void resize(std::size_t slots);
  // Members are the endpoints that could be picked but for ejection: present, up, not draining.
  // They are what max_share is a share of. Who leaves keeps its state, uncounted, and may join
  // again.
  void join(std::uint32_t slot);
  void leave(std::uint32_t slot);
  // Forgets all about the slot: it will be another endpoint's.
  void reset(std::uint32_t slot);

  // A request that was picked at `start` has ended. `latency`: time to its first byte or end.
  void finished(std::uint32_t slot, Time start, Outcome outcome, Duration latency,
                Time now) noexcept;
  // It has answered, though not ended: a trial that becomes a long stream does not time out.
  void first_byte(std::uint32_t slot, Time start) noexcept;
  // The slot's trial is the request picked at `now`. REQUIRES: state(slot) == kHalfOpen.
  void begin_trial(std::uint32_t slot, Time now) noexcept;

  // Ejects, times out, lets back in. Returns those that went out or came in, once each; valid until
  // the next pass. `median`: the pool's latency, zero while unknown.
  std::span<const std::uint32_t> pass(Time now, Duration median, Rng& rng);

  State state(std::uint32_t slot) const { return hosts_[slot].state; }
  bool out(std::uint32_t slot) const { return state(slot) != State::kIn; }
  // Members waiting for their trial.
  std::span<const std::uint32_t> half_open() const { return half_open_.items(); }
  // Members that are out, as of the last pass.
  std::size_t ejected() const { return ejected_; }
  // How many members may be out.
  std::size_t ejected_max() const;
  // Ejections still held against it: the next lasts base x 2^level.
  std::uint32_t level(std::uint32_t slot, Time now) const;
  // What a restart must not forget: whether it is out, for how long still, and what is held against
  // it.
  struct Saved {
    bool out = false;
    Duration left;
    std::uint32_t level = 0;
    EjectionReason reason;
  };
  Saved saved(std::uint32_t slot, Time now) const;
  // REQUIRES: the slot is a member and in. Too many that are out come back at the next pass.
  void restore(std::uint32_t slot, const Saved& saved, Time now);
  // "ejected for another 12 s after 5 failures"; empty when in.
  std::string reason(std::uint32_t slot, Time now) const;

 private:
  enum class TrialEnd : std::uint8_t { kNone, kPassed, kFailed };
  struct Host {
    State state = State::kIn;
    TrialEnd trial_end = TrialEnd::kNone;
    bool answered = false;          // the trial has its first byte
    std::uint32_t level = 0;        // as of healthy_since
    std::uint32_t consecutive = 0;  // failures since the last success
    Time healthy_since;             // since it came back; requests from before do not count
    Time until;                     // kOut: its end; kTrial: its time-out
    Time trial_since;
    EjectionReason reason;
  };

  std::int64_t bucket_at(Time now) noexcept;
  void count();
  void settle(Time now, Rng& rng);
  void settle_one(std::uint32_t slot, Time now, Rng& rng);
  void expire(Time now, Rng& rng);
  void gather(Time now, Rng& rng);
  void heal(Time now);
  void try_eject(std::uint32_t slot, EjectionReason reason, Time now, Rng& rng);
  void send_out(std::uint32_t slot, EjectionReason reason, Time now, Rng& rng);
  void let_in(std::uint32_t slot, Time now);
  void await_trial(std::uint32_t slot) noexcept;

  EjectionSettings settings_;
  std::int64_t bucket_ns_;
  std::vector<Host> hosts_;             // by slot
  std::vector<OutcomeWindow> windows_;  // by slot
  SlotSet members_;
  SlotSet out_;        // all that are not kIn, members or not
  SlotSet half_open_;  // members that are kHalfOpen
  SlotSet pending_;    // what a pass must look at
  SlotSet changed_;    // by the last pass
  std::size_t ejected_ = 0;

  std::vector<OutlierSample> samples_;  // gathered so far
  std::vector<Outlier> outliers_;
  std::size_t gather_next_ = 0;
  bool gathering_ = false;
  bool recount_ = false;
  std::int64_t bucket_ = 0;  // that of bucket_start_
  Time bucket_start_;
  Time evaluate_at_;
  Time due_ = Time::never();  // the first end of an ejection or trial
  std::int64_t slow_ns_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace evener
