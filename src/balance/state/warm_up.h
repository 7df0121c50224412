// WarmUp: the warm-up factor of every usable endpoint, by slot (rule: evener/warm_up.h).
//
// Owned by the Core of one Balancer, which says who becomes usable and who stops being so; one
// thread. A factor never falls while its endpoint stays usable: others that join do not move it,
// others that leave can only raise it, at the next pass. Cost: enter, leave and factor O(1); pass
// at most `most` visits, and O(active) after somebody left while nobody is warm. Only resize
// allocates. 17 bytes per slot.
#pragma once

#include <evener/time.h>
#include <evener/warm_up.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "balance/state/slot_set.h"

namespace evener {

class WarmUp {
 public:
  // REQUIRES: check_settings(settings) succeeds.
  explicit WarmUp(const WarmUpSettings& settings);

  void resize(std::size_t slots);
  // The endpoint is usable from now on; nothing changes if it already was. Restarts its window.
  void enter(std::uint32_t slot, Time now);
  // It is not usable any more (down, ejected, draining, gone); nothing changes if it was not.
  void leave(std::uint32_t slot);

  // In [floor, 1]; 1 for a slot that is not usable. A time before it entered counts as that time.
  double factor(std::uint32_t slot, Time now) const;
  // How long it has been usable, at most the window; zero when it is not.
  Duration age(std::uint32_t slot, Time now) const;
  // Those in their window, whose factors move. Changes with the next enter, leave or pass.
  std::span<const std::uint32_t> active() const { return active_.items(); }

  // Calls visit(slot, factor) for at most `most` of the active in turn, so that the owner can take
  // over their factors. Those whose window is over are visited once more, with 1, and leave the
  // list. `visit` must not call enter or leave.
  template <typename Visit>
  void pass(Time now, std::size_t most, Visit&& visit) {
    if (oldest_stale_ && warm_ == 0) find_oldest();
    for (std::size_t left = std::min(most, active_.size()); left > 0; --left) {
      if (cursor_ >= active_.size()) cursor_ = 0;
      const std::uint32_t slot = active_.items()[cursor_];
      if (now - since_[slot] >= settings_.window) {
        finish(slot);
      } else {
        ++cursor_;
      }
      visit(slot, factor(slot, now));
    }
  }

 private:
  enum class State : std::uint8_t { kUnusable, kWarming, kWarm };

  double raw(Time since, Time now) const;
  void finish(std::uint32_t slot);
  void find_oldest();

  WarmUpSettings settings_;
  SlotSet active_;            // kWarming
  std::vector<State> state_;  // by slot
  std::vector<Time> since_;   // by slot, while kWarming
  std::size_t warm_ = 0;      // slots that are kWarm
  Time oldest_;               // at most the least since_ of the active
  bool oldest_stale_ = false;
  std::size_t cursor_ = 0;
};

}  // namespace evener
