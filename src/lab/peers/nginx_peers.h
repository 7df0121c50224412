// NginxPeers: what nginx's rules share: who has failed lately, and the smooth weighted turn.
//
//     failed:  failures >= max_fails (1) and at most fail_timeout (10 s) since it was last looked
//     at failure: the count rises; effective weight falls by weight / max_fails, not below 0 turn:
//     of all usable: current += effective, effective += 1 up to weight; the greatest
//              current is taken and falls by the sum of the effective weights
//
// After fail_timeout one live request is let through and the clock starts anew; its success, sent
// after the last failure, clears the count: only a later success does, so failures far apart add
// up. A set of one is exempt. With all of them failed nothing is chosen (`no live upstreams`): the
// call ends in an error. Facts: peers-proxies.md 1b, 2.3, section 3 row 21.
//
// What counts as a failure is nginx's default, `proxy_next_upstream error timeout`: failed connects
// and time-outs. Any answer is a success, a 5xx or 429 too, and so is what the simulator reports as
// kFailure in time (it does not tell a broken connection from an error answer).
// Left out: max_conns (none by default).
#pragma once

#include "lab/peers/draws.h"
#include "lab/peers/peer_chooser.h"

namespace evener::lab::peers {

struct NginxState {
  double current = 0;
  double effective = 0;
  unsigned failures = 0;
  Time failed_at;
  Time checked_at;
  // least_time's estimate.
  double latency_ns = 0;
  Time sampled_at;
};

class NginxPeers : public PeerChooser<NginxState> {
 protected:
  static constexpr unsigned kMaxFails = 1;
  static constexpr Duration kFailTimeout = Duration::seconds(10);

  static bool answered(const sim::Answer& answer) {
    return !answer.timed_out && answer.outcome != Outcome::kConnectFailed;
  }

  bool usable(const Member<NginxState>& member, Time now) const {
    if (present().size() == 1 || member.state.failures < kMaxFails) return true;
    return now - member.state.checked_at > kFailTimeout;
  }
  // It is going to be used: if it had failed, nobody else is let through for fail_timeout.
  void taken(Member<NginxState>& member, Time now) const {
    if (now - member.state.checked_at > kFailTimeout) member.state.checked_at = now;
  }

  // The smooth weighted turn over those that are usable and for which among(slot).
  template <typename Among>
  std::optional<Pick> in_turn(Slots open, Time now, Among&& among) {
    double total = 0;
    const std::uint32_t* best = nullptr;
    for (const std::uint32_t& slot : open) {
      Member<NginxState>& member = at(slot);
      if (!usable(member, now) || !among(slot)) continue;
      NginxState& state = member.state;
      state.current += state.effective;
      total += state.effective;
      state.effective = std::min(state.effective + 1, member.weight);
      if (best == nullptr || state.current > at(*best).state.current) best = &slot;
    }
    if (best == nullptr) return std::nullopt;
    at(*best).state.current -= total;
    taken(at(*best), now);
    return Pick{*best};
  }

  void ended(Member<NginxState>& member, const sim::Answer& answer, double) override {
    NginxState& state = member.state;
    if (answered(answer)) {
      if (answer.sent >= state.failed_at) state.failures = 0;
      return;
    }
    ++state.failures;
    state.failed_at = state.checked_at = answer.now;
    state.effective = std::max(0.0, state.effective - member.weight / kMaxFails);
  }
  void joined(Member<NginxState>& member, Time) override { member.state.effective = member.weight; }
  void changed(Time) override {
    for (const std::uint32_t slot : present()) {
      at(slot).state.effective = std::min(at(slot).state.effective, at(slot).weight);
    }
  }
};

}  // namespace evener::lab::peers
