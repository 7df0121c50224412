// Pushback: who is left alone for now, by slot (rules and settings: evener/pushback.h).
//
// Owned by the Core of one Balancer; one thread. Cost: ask and refused O(log out), as small a heap
// as endpoints are out; pass O(1) while nothing ends. Only resize and reason allocate. 30 bytes per
// slot.
#pragma once

#include <evener/pushback.h>
#include <evener/time.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "balance/state/due_heap.h"
#include "balance/state/slot_set.h"

namespace evener {

class Pushback {
 public:
  // REQUIRES: check_settings(settings) succeeds.
  explicit Pushback(const PushbackSettings& settings);

  void resize(std::size_t slots);
  // Members are the endpoints that could be picked otherwise: present, up, not draining.
  void join(std::uint32_t slot);
  // Forgets the slot; also for one that will be another endpoint's.
  void leave(std::uint32_t slot);

  // The endpoint asked to be left alone for `wait`. The longer of two requests counts; zero and
  // less ask for nothing. Returns whether it is out now: not if too many are, or it is no member.
  bool ask(std::uint32_t slot, Duration wait, Time now) noexcept;
  // A connect to it was refused.
  bool refused(std::uint32_t slot, Time now) noexcept;

  // Lets back in those whose time is over, and those too many since others left. Returns them;
  // valid until the next pass.
  std::span<const std::uint32_t> pass(Time now);

  bool out(std::uint32_t slot) const { return heap_.contains(slot); }
  std::size_t out_count() const { return heap_.size(); }
  // How many may be out.
  std::size_t out_max() const;
  // "asked to be left alone for another 12 s"; empty when not out.
  std::string reason(std::uint32_t slot, Time now) const;

 private:
  bool exclude(std::uint32_t slot, Duration wait, bool refused, Time now) noexcept;

  PushbackSettings settings_;
  SlotSet members_;
  DueHeap heap_;                       // members that are out, by the end of their time
  std::vector<std::uint8_t> refused_;  // whether a refused connect is why, by slot
  std::vector<std::uint32_t> back_;    // by the last pass
};

}  // namespace evener
