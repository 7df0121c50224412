// Core: the state behind a Balancer and its tickets: slots, the eligible list, the pool's median.
//
// Owned by its Balancer; when that dies first, by itself until the last ticket is back. One thread.
// Slots keep their index for as long as their endpoint is in the set or has tickets out, so a
// ticket is a Core and an index. Costs: see evener/balancer.h.
//
// core.cc: pick, finish, tick. core_apply.cc: a new set. core_bars.cc: who may be picked.
// core_batch.cc: many at once. core_report.cc: what is told. core_saved.cc: save and restore.
#pragma once

#include <evener/balancer.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "balance/observers.h"
#include "balance/pool_view.h"
#include "balance/slot.h"
#include "balance/state/ejector.h"
#include "balance/state/pushback.h"
#include "balance/state/warm_up.h"
#include "base/huge_vector.h"

namespace evener::balance_internal {

// One endpoint that a batch looks at.
struct BatchItem {
  double cost;
  std::uint32_t slot;
};

class Core {
 public:
  explicit Core(BalancerOptions options);

  // Ends the Balancer's ownership: destroys the core, now or with its last ticket.
  static void release(std::unique_ptr<Core> core) noexcept;

  void apply(EndpointSetPtr set, Time now);
  std::expected<Ticket, PickError> pick(const PickRequest& request) noexcept;
  std::expected<std::size_t, PickError> pick_batch(const PickRequest& request, std::uint32_t probes,
                                                   std::span<Ticket> tickets) noexcept;
  void tick(Time now);
  void report(EndpointId id, const EndpointReport& report, Time now) noexcept;
  Explanation explain() const;
  std::vector<Explanation> decisions(std::size_t most) const;
  ShadowReport shadow() const;
  void snapshot(Time now, std::vector<EndpointStatus>& out) const;
  std::string save(Time now) const;
  std::expected<void, Error> restore(std::string_view blob, Time now);
  std::size_t eligible() const { return view_.eligible.size(); }
  std::uint64_t in_flight() const { return view_.in_flight(); }
  const EndpointSetPtr& set() const { return set_; }

  // For tickets.
  const Endpoint& endpoint(std::uint32_t slot) const { return infos_[slot].endpoint; }
  EndpointId id(std::uint32_t slot) const { return ids_[slot]; }
  Time last_time() const { return last_; }
  // The new value of Ticket::first_byte_ns_: the latency, or -2 - latency once it was sampled.
  std::int64_t first_byte(std::uint32_t slot, Time start, Time now) noexcept;
  void report(std::uint32_t slot, const EndpointReport& report, Time now) noexcept;
  // May destroy *this.
  void finish(std::uint32_t slot, Time start, std::int64_t first_byte_ns, Outcome outcome, Time now,
              Duration retry_after) noexcept;
  // The usual end: a success whose first byte nobody told.
  void succeed(std::uint32_t slot, Time start, Time now) noexcept;

  static constexpr std::int64_t kNoFirstByte = -1;

 private:
  using Counters = std::array<std::uint64_t, kOutcomes>;
  // What no pick reads. In a deque, so that a ticket's reference to its endpoint holds.
  struct Info {
    Endpoint endpoint;
    bool present = false;  // in the present set
  };

  // core_apply.cc
  std::uint32_t slot_for(const Endpoint& endpoint, Time now);
  void forget(std::uint32_t slot);
  void resize(std::size_t slots);
  void rebuild_members(Time now);
  void join(std::uint32_t slot, Time now);
  void leave(std::uint32_t slot);

  // core_bars.cc
  void set_bar(std::uint32_t slot, Bar bar, bool on) noexcept;
  void swap_places(std::uint32_t position, std::uint32_t other) noexcept;
  void set_eligible(std::size_t count) noexcept;
  void check_limit(std::uint32_t slot) noexcept;
  void set_warmth(std::uint32_t slot, double factor) noexcept;
  void update_inverse(std::uint32_t slot) noexcept;
  // The slot's load changed.
  void changed(std::uint32_t slot) noexcept {
    if (follower_ != nullptr || limits_or_observers_) tell_changed(slot);
  }
  void tell_changed(std::uint32_t slot) noexcept;
  void push_back(std::uint32_t slot, Outcome outcome, Duration retry_after, Time now) noexcept;
  void pass_bars(Time now);
  std::uint32_t take_trial(const PickRequest& request) noexcept;
  std::uint32_t take_warming() noexcept;
  std::expected<std::uint32_t, PickError> nothing_eligible(
      std::span<const EndpointId> tried) noexcept;
  bool panic_allows(std::uint32_t slot) const;
  bool waits_for_busy(std::span<const EndpointId> tried) const noexcept;

  // core.cc
  bool find_tried(std::span<const EndpointId> tried) noexcept;
  std::expected<std::uint32_t, PickError> choose(const PickRequest& request) noexcept;
  std::expected<Ticket, PickError> pick_with_care(const PickRequest& request) noexcept;
  void decided(const PickContext& context, std::uint32_t slot) noexcept;
  void tell_decided(const PickContext& context) noexcept;
  std::uint32_t choose_with_care(PickContext& context, const PickRequest& request) noexcept;
  bool needs_care() const noexcept {
    return view_.warming != 0 || (ejector_ && !ejector_->half_open().empty());
  }
  Ticket issue(std::uint32_t slot, Time now) noexcept;
  void take_unit(std::uint32_t slot, Time now) noexcept;
  // The slot's count of requests in flight changed.
  void counted(std::uint32_t slot) noexcept;
  void tell_counted(std::uint32_t slot) noexcept;
  void note_tried(std::span<const std::uint32_t> tried) noexcept;
  void sample(Slot& slot, Duration latency, Time now) noexcept;
  bool sample_if_higher(Slot& slot, Duration latency, Time now) noexcept;
  void publish(std::uint32_t slot) noexcept;
  void refresh_median(Time now);
  void fold_elsewhere(std::size_t columns);
  bool in_window(Time now) const noexcept {
    // Unsigned: a time before the window is far beyond its end.
    return static_cast<std::uint64_t>((now - window_start_).ns()) < window_length_;
  }
  std::uint8_t window_at(Time now) noexcept {
    if (!in_window(now)) [[unlikely]]
      turn_window(now);
    return window_;
  }
  // Whether the latency of the request that ends now is to be sampled, if another was before.
  bool wants_sample() const noexcept { return (view_.picks & unsampled_) == 0; }
  // Whether an end may be of a slot that left the set, or the last before this dies.
  bool has_strays() const noexcept {
    return index_.size() != by_column_.size() || self_ != nullptr;
  }
  void note_care() noexcept { ends_with_care_ = ejector_ || has_strays(); }
  void succeed_with_care(std::uint32_t slot, Time start, Time now) noexcept;
  // What ended, by outcome.
  Counters outcomes(std::uint32_t slot) const;
  void turn_window(Time now) noexcept;
  void succeeded(std::uint32_t slot, Duration latency, bool fresh, Time now) noexcept;
  void add_outcome(std::uint32_t slot, bool success, std::uint8_t window) noexcept;
  void take_outcome(std::uint32_t slot, Outcome outcome, Duration latency, bool fresh, bool waited,
                    Time now) noexcept;

  // core_batch.cc
  double batch_cost(std::uint32_t slot, Time now) const noexcept;

  // core_saved.cc
  void restore_bars(std::uint32_t slot, const Ejector::Saved& saved, Duration warm, Time now);

  // core_report.cc
  std::string reason(std::uint32_t slot, Time now) const;
  Explanation explain(const Decision& decision) const;

  BalancerOptions options_;
  std::unique_ptr<Policy> policy_;
  const PolicyInfo* info_ = nullptr;
  Rng rng_;
  CostModel model_;
  EndpointSetPtr set_;

  HugeVector<Slot> slots_;
  std::vector<float> inverse_weights_;      // by slot
  std::vector<double> weights_;             // by slot
  std::vector<float> warmth_;               // by slot
  HugeVector<std::uint8_t> barred_;         // by slot: bits of Bar
  std::vector<const Endpoint*> endpoints_;  // by slot
  HugeVector<std::uint32_t> positions_;     // by slot: in ordered_, or kNone
  std::vector<std::uint32_t> columns_;      // by slot: in the set, or kNone once it has left
  std::vector<Counters> counters_;          // by slot, see outcomes
  std::deque<Info> infos_;                  // by slot
  std::vector<EndpointId> ids_;             // by slot
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> by_column_;  // slot of each endpoint of the set
  std::unordered_map<EndpointId, std::uint32_t> index_;
  std::vector<std::uint32_t> members_;  // in the set's order
  HugeVector<std::uint32_t> ordered_;   // the members, the eligible ones first
  AliasTable by_weight_;
  std::size_t busy_ = 0;        // members that only their limit keeps out
  PoolView view_;               // of the above
  LoadBoard* board_ = nullptr;  // the set's

  std::optional<Ejector> ejector_;
  std::optional<WarmUp> warm_up_;
  std::optional<Pushback> pushback_;
  std::unique_ptr<Observers> observers_;
  Policy* follower_ = nullptr;        // the policy, if it follows the load
  bool limits_or_observers_ = false;  // a limit, or a shadow that follows the load
  bool watched_ = false;              // that, or a board
  bool told_ = false;                 // that, or a policy that follows the load

  // Scratch of one pick, with room for every endpoint.
  std::vector<std::uint32_t> tried_positions_;
  std::vector<std::uint32_t> tried_slots_;
  std::vector<BatchItem> batch_;
  PickTrace trace_;
  PickContext usual_;  // of a pick that has nothing tried; only its time and key change

  Time last_;
  Time window_start_;
  std::uint64_t window_length_;  // ns
  std::uint8_t window_ = 0;      // that of window_start_
  std::uint64_t unsampled_;      // a latency counts where these bits of the number of picks are 0
  bool usual_sample_ = false;    // an estimate is a mean, and the median is the pool's
  bool ends_with_care_ = false;  // an ejector is to be told, or see has_strays
  Time median_due_;
  std::size_t median_start_ = 0;
  std::size_t fold_next_ = 0;
  bool median_known_ = false;   // some endpoint has answered
  bool median_ticked_ = false;  // and a tick has looked at all of them
  std::unique_ptr<Core> self_;
};

}  // namespace evener::balance_internal
