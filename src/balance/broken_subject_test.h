// A toy balancer with one switchable fault, to show that the conformance suite can fail.
//
// Without a fault it passes; each fault is one line and was found in the wild (the facts' edge
// cases 12, 31, 36, 39, 48). Two distinct draws, fewest in flight times a bounded penalty.
#pragma once

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "balance/conformance.h"

namespace evener::conformance {

enum class Fault {
  kNone,
  kWithReplacement,      // both draws may be the same endpoint
  kBusierFirst,          // compares the wrong way round
  kFirstOnTies,          // equals go to the one listed first
  kCountsLostOnApply,    // every new set starts from zero
  kFeedbackById,         // a removed endpoint's late answers are booked on its successor
  kPenaltyCompounds,     // ten times per failure, without a bound
  kIgnoresTried,         // retries may hit the same endpoint
  kPicksDraining,        // draining counts as eligible
  kLeaksDroppedTickets,  // a ticket that is dropped stays in flight
};

class ToySubject final : public Subject {
 public:
  ToySubject(Fault fault, std::uint64_t seed) : fault_(fault), rng_(seed) {}

  void apply(const std::vector<Endpoint>& endpoints, Time) override {
    std::unordered_map<EndpointId, std::shared_ptr<State>> next;
    for (const Endpoint& endpoint : endpoints) {
      std::shared_ptr<State>& known = all_[endpoint.id];
      const bool here = states_.contains(endpoint.id);
      if (known == nullptr || (!here && known->in_flight == 0)) known = std::make_shared<State>();
      if (fault_ == Fault::kCountsLostOnApply) known = std::make_shared<State>();
      if (fault_ == Fault::kFeedbackById && !here) known = std::make_shared<State>();
      known->endpoint = endpoint;
      next[endpoint.id] = known;
    }
    states_ = std::move(next);
    list_ = endpoints;
  }

  std::expected<Picked, PickError> pick(Time now, std::span<const EndpointId> tried) override {
    if (list_.empty()) return std::unexpected(PickError::kNoEndpoints);
    std::vector<State*> eligible;
    std::vector<State*> left;
    for (const Endpoint& endpoint : list_) {
      if (!endpoint.up) continue;
      if (endpoint.draining && fault_ != Fault::kPicksDraining) continue;
      eligible.push_back(states_.at(endpoint.id).get());
      if (std::ranges::find(tried, endpoint.id) == tried.end()) left.push_back(eligible.back());
    }
    if (eligible.empty()) return std::unexpected(PickError::kNoneEligible);
    if (left.empty()) return std::unexpected(PickError::kAllTried);
    if (fault_ == Fault::kIgnoresTried && left.size() > 1) left = eligible;
    State* const chosen = choose(left, now);
    ++chosen->in_flight;
    out_.push_back(states_.at(chosen->endpoint.id));
    return Picked{out_.size() - 1, chosen->endpoint.id};
  }

  void finish(std::uint64_t handle, std::optional<Outcome> outcome, Time now) override {
    std::shared_ptr<State> state = std::exchange(out_[handle], nullptr);
    if (state == nullptr) return;
    if (fault_ == Fault::kLeaksDroppedTickets && !outcome) return;
    if (fault_ == Fault::kFeedbackById) state = all_.at(state->endpoint.id);
    --state->in_flight;
    if (outcome == Outcome::kSuccess) state->penalty = 1;
    if (outcome != Outcome::kFailure) return;
    const double bound = fault_ == Fault::kPenaltyCompounds ? 1e300 : 100;
    state->penalty = std::min(bound, state->penalty * 10);
    state->failed = now;
  }

  std::int64_t in_flight(EndpointId id) const override { return states_.at(id)->in_flight; }

 private:
  struct State {
    Endpoint endpoint;
    std::int64_t in_flight = 0;
    double penalty = 1;
    Time failed;
  };

  double cost(const State& state, Time now) const {
    const double seconds = (now - state.failed).to_seconds();
    const double faded = fault_ == Fault::kPenaltyCompounds ? state.penalty * std::exp2(-seconds)
                                                            : (seconds > 5 ? 1.0 : state.penalty);
    return static_cast<double>(state.in_flight + 1) * std::max(faded, 1.0) / state.endpoint.weight;
  }

  // By weight, as the real one draws.
  std::size_t draw(const std::vector<State*>& from) {
    double sum = 0;
    for (const State* state : from) sum += state->endpoint.weight;
    double at = rng_.uniform01() * sum;
    for (std::size_t i = 0; i < from.size(); ++i) {
      at -= from[i]->endpoint.weight;
      if (at < 0) return i;
    }
    return from.size() - 1;
  }

  State* choose(std::vector<State*> from, Time now) {
    if (from.size() == 1) return from[0];
    const std::size_t first = draw(from);
    State* a = from[first];
    const auto position_a = static_cast<std::size_t>(first);
    if (fault_ != Fault::kWithReplacement) {
      from.erase(from.begin() + static_cast<std::ptrdiff_t>(first));
    }
    const std::size_t second = draw(from);
    State* b = from[second];
    const bool b_listed_first = fault_ != Fault::kWithReplacement && second < position_a;
    const double cost_a = cost(*a, now);
    const double cost_b = cost(*b, now);
    if (fault_ == Fault::kBusierFirst) return cost_a > cost_b ? a : b;
    if (cost_a == cost_b) return fault_ == Fault::kFirstOnTies && b_listed_first ? b : a;
    return cost_a < cost_b ? a : b;
  }

  Fault fault_;
  Rng rng_;
  std::vector<Endpoint> list_;
  std::unordered_map<EndpointId, std::shared_ptr<State>> states_;  // of the present set
  std::unordered_map<EndpointId, std::shared_ptr<State>> all_;     // last known, by identity
  std::vector<std::shared_ptr<State>> out_;
};

inline Entry toy_entry(Fault fault) {
  Entry entry;
  entry.name = "toy";
  entry.make = [fault](std::uint64_t seed) { return std::make_unique<ToySubject>(fault, seed); };
  entry.by_load = true;
  entry.pairs = true;
  entry.by_success = true;
  return entry;
}

}  // namespace evener::conformance
