// PeerChooser: what every peer's rule has in common: who is in the set, what is in flight, what is
// known of each member.
//
// A rule is a class derived from PeerChooser<State>; State is what it keeps of a member. A member
// lasts as long as its server is in the set or a choice of it is out: a server that leaves and
// comes back is a new member without a past, as at the peers, and late answers go to the old one.
// Retries: the rule picks among those that were not tried, as if the set were those; where a peer
// skips tried ones in another way, its header says so. Owned by one chooser and its thread.
// Cost: O(members) per set, O(members) per retry, else what the rule costs; no allocation in steady
// state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/check.h"
#include "sim/chooser.h"
#include "sim/slab.h"

namespace evener::lab::peers {

template <typename State>
struct Member {
  std::uint32_t server = 0;
  std::uint32_t in_flight = 0;  // this balancer's own
  double weight = 1;
  bool present = false;
  State state{};
};

// A member's slot, and what the rule wants back with the answer.
struct Pick {
  std::uint32_t slot;
  double note = 0;
};

template <typename State>
class PeerChooser : public sim::Chooser {
 public:
  std::optional<sim::Choice> choose(const sim::ChoiceRequest& request) final {
    const std::span<const std::uint32_t> open = untried(request.tried);
    if (open.empty()) return std::nullopt;
    const std::optional<Pick> picked = pick(request, open);
    if (!picked) return std::nullopt;
    Member<State>& member = members_[picked->slot];
    ++member.in_flight;
    const std::uint32_t token = out_.take();
    out_[token] = *picked;
    return sim::Choice{member.server, token};
  }

  void done(const sim::Choice& choice, const sim::Answer& answer) final {
    const Pick picked = out_[choice.token];
    out_.give_back(choice.token);
    Member<State>& member = members_[picked.slot];
    EV_CHECK(member.in_flight > 0, "an answer for each choice, once");
    --member.in_flight;
    ended(member, answer, picked.note);
    if (!member.present && member.in_flight == 0) free_.push_back(picked.slot);
  }

  void apply(const EndpointSetPtr& set, Time now) final {
    for (const std::uint32_t slot : present_) members_[slot].present = false;
    previous_.swap(present_);
    present_.clear();
    for (const Endpoint& endpoint : set->endpoints()) {
      if (endpoint.up && !endpoint.draining) take_in(endpoint, now);
    }
    for (const std::uint32_t slot : previous_) {
      const Member<State>& member = members_[slot];
      if (member.present) continue;
      slot_of_[member.server] = kNone;
      if (member.in_flight == 0) free_.push_back(slot);
    }
    changed(now);
  }

  std::optional<std::uint64_t> in_flight() const final { return out_.used(); }

 protected:
  // One of `open` (or, for peers that give up, nothing); its in-flight count rises afterwards.
  // REQUIRES: open is not empty.
  virtual std::optional<Pick> pick(const sim::ChoiceRequest& request,
                                   std::span<const std::uint32_t> open) = 0;
  // A choice has ended; the in-flight count has fallen. The member may have left the set.
  virtual void ended(Member<State>&, const sim::Answer&, double note) { static_cast<void>(note); }
  virtual void joined(Member<State>&, Time) {}
  // After each change of the set, weights included.
  virtual void changed(Time) {}

  Member<State>& at(std::uint32_t slot) { return members_[slot]; }
  const Member<State>& at(std::uint32_t slot) const { return members_[slot]; }
  // The slots of the set's members, in its order.
  std::span<const std::uint32_t> present() const { return present_; }
  bool is_open(const Member<State>& member, std::span<const std::uint32_t> tried) const {
    return std::ranges::find(tried, member.server) == tried.end();
  }
  bool weights_differ() const {
    return std::ranges::any_of(present_, [this](std::uint32_t slot) {
      return members_[slot].weight != members_[present_.front()].weight;
    });
  }

 private:
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  std::span<const std::uint32_t> untried(std::span<const std::uint32_t> tried) {
    if (tried.empty()) return present_;
    untried_.clear();
    for (const std::uint32_t slot : present_) {
      if (is_open(members_[slot], tried)) untried_.push_back(slot);
    }
    return untried_;
  }

  void take_in(const Endpoint& endpoint, Time now) {
    const auto server = static_cast<std::uint32_t>(endpoint.id);
    if (server >= slot_of_.size()) slot_of_.resize(server + std::size_t{1}, kNone);
    std::uint32_t slot = slot_of_[server];
    const bool known = slot != kNone;
    if (!known) slot = slot_of_[server] = new_slot();
    Member<State>& member = members_[slot];
    if (!known) member = {.server = server};
    member.weight = endpoint.weight;
    member.present = true;
    present_.push_back(slot);
    if (!known) joined(member, now);
  }

  std::uint32_t new_slot() {
    if (free_.empty()) {
      members_.emplace_back();
      return static_cast<std::uint32_t>(members_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }

  std::vector<Member<State>> members_;
  std::vector<std::uint32_t> present_;
  std::vector<std::uint32_t> previous_;
  std::vector<std::uint32_t> untried_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> slot_of_;  // by server
  sim::Slab<Pick> out_;
};

}  // namespace evener::lab::peers
