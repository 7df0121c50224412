// Core: the state behind a Balancer and its tickets: slots, the eligible list, the pool's median.
//
// Owned by its Balancer; when that dies first, by itself until the last ticket is back. One thread.
// Slots keep their index for as long as their endpoint is in the set or has tickets out, so a
// ticket is a Core and an index. Costs: see evener/balancer.h.
#pragma once

#include <evener/balancer.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "balance/pool_view.h"
#include "balance/slot.h"

namespace evener::balance_internal {

class Core {
 public:
  explicit Core(BalancerOptions options);

  // Ends the Balancer's ownership: destroys the core, now or with its last ticket.
  static void release(std::unique_ptr<Core> core) noexcept;

  void apply(EndpointSetPtr set, Time now);
  std::expected<Ticket, PickError> pick(const PickRequest& request) noexcept;
  void tick(Time now);
  Explanation explain() const;
  void snapshot(Time now, std::vector<EndpointStatus>& out) const;
  std::size_t eligible() const { return eligible_.size(); }
  std::uint64_t in_flight() const { return in_flight_; }
  const EndpointSetPtr& set() const { return set_; }

  // For tickets.
  const Endpoint& endpoint(std::uint32_t slot) const { return infos_[slot].endpoint; }
  Time last_time() const { return last_; }
  // The new value of Ticket::first_byte_ns_.
  std::int64_t first_byte(std::uint32_t slot, Time start, Time now) noexcept;
  // May destroy *this.
  void finish(std::uint32_t slot, Time start, std::int64_t first_byte_ns, Outcome outcome,
              Time now) noexcept;

  static constexpr std::int64_t kNoFirstByte = -1;
  static constexpr std::int64_t kSampled = -2;

 private:
  struct Counters {
    std::uint64_t by_outcome[4] = {};
  };
  // What no pick reads. In a deque, so that a ticket's reference to its endpoint holds.
  struct Info {
    Endpoint endpoint;
    std::uint32_t position = Slot::kNone;  // in eligible_
    bool present = false;                  // in the present set
  };

  std::uint32_t slot_for(const Endpoint& endpoint, Time now);
  void forget(std::uint32_t slot);
  void rebuild_eligible();
  void update_inverse(std::uint32_t slot);
  bool find_tried(std::span<const EndpointId> tried) noexcept;
  Ticket issue(std::uint32_t slot, Time now) noexcept;
  void note_tried(std::span<const std::uint32_t> tried) noexcept;
  void sample(Slot& slot, Duration latency, Time now) noexcept;
  bool sample_if_higher(Slot& slot, Duration latency, Time now) noexcept;
  void publish(const Slot& slot) noexcept;
  void refresh_median(Time now);
  void fold_elsewhere(std::size_t columns);
  std::uint8_t window_at(Time now) noexcept;
  std::string_view reason(std::uint32_t slot) const;

  BalancerOptions options_;
  std::unique_ptr<Policy> policy_;
  const PolicyInfo* info_ = nullptr;
  Rng rng_;
  CostModel model_;
  EndpointSetPtr set_;

  std::vector<Slot> slots_;
  std::vector<float> inverse_weights_;      // by slot
  std::vector<double> weights_;             // by slot
  std::vector<Counters> counters_;          // by slot
  std::deque<Info> infos_;                  // by slot
  std::vector<const Endpoint*> endpoints_;  // by slot, those of infos_
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> by_column_;  // slot of each endpoint of the set
  std::unordered_map<EndpointId, std::uint32_t> index_;
  std::vector<std::uint32_t> eligible_;
  AliasTable by_weight_;
  PoolView view_;               // of the above
  LoadBoard* board_ = nullptr;  // the set's

  // Scratch of one pick, with room for every endpoint.
  std::vector<std::uint32_t> tried_positions_;
  std::vector<std::uint32_t> tried_slots_;
  PickTrace trace_;

  std::uint64_t in_flight_ = 0;
  std::uint64_t picks_ = 0;
  Time last_;
  Time window_start_;
  std::uint8_t window_ = 0;  // that of window_start_
  Time median_due_;
  std::size_t median_start_ = 0;
  std::size_t fold_next_ = 0;
  bool median_known_ = false;   // some endpoint has answered
  bool median_ticked_ = false;  // and a tick has looked at all of them
  std::unique_ptr<Core> self_;
};

}  // namespace evener::balance_internal
