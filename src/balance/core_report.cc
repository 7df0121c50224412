#include <algorithm>
#include <cmath>

#include "balance/core.h"

namespace evener::balance_internal {
namespace {

Duration to_duration(double ns) {
  return ns >= 9.2e18 ? Duration::max() : Duration::nanoseconds(static_cast<std::int64_t>(ns));
}

std::string_view note_of(PickTrace::How how) {
  switch (how) {
    case PickTrace::How::kPolicy:
      return "";
    case PickTrace::How::kProbe:
      return "probe";
    case PickTrace::How::kTrial:
      return "trial";
    case PickTrace::How::kWarmUp:
      return "warm-up";
    case PickTrace::How::kPanic:
      return "panic";
  }
  return "";
}

std::string_view bar_name(std::uint8_t bars) {
  if ((bars & kBarEjected) != 0) return "ejected";
  return (bars & kBarPushback) != 0 ? "left alone" : "full";
}

}  // namespace

std::string Core::reason(std::uint32_t slot, Time now) const {
  const Info& info = infos_[slot];
  if (!info.present) return "leaving";
  if (!info.endpoint.up) return "down";
  if (info.endpoint.draining) return "draining";
  if ((barred_[slot] & kBarEjected) != 0) return ejector_->reason(slot, now);
  if ((barred_[slot] & kBarPushback) != 0) return pushback_->reason(slot, now);
  if ((barred_[slot] & kBarFull) != 0) return "full";
  return "eligible";
}

Core::Counters Core::outcomes(std::uint32_t slot) const {
  Counters all = counters_[slot];
  all[static_cast<std::size_t>(Outcome::kSuccess)] += slots_[slot].windows.successes();
  return all;
}

void Core::snapshot(Time now, std::vector<EndpointStatus>& out) const {
  out.clear();
  out.reserve(by_column_.size());
  for (const std::uint32_t index : by_column_) {
    const Slot& slot = slots_[index];
    const Info& info = infos_[index];
    EndpointStatus status;
    status.id = info.endpoint.id;
    status.name = info.endpoint.name;
    status.weight = info.endpoint.weight;
    status.up = info.endpoint.up;
    status.draining = info.endpoint.draining;
    status.eligible = positions_[index] < view_.eligible.size();
    status.in_flight = slot.in_flight;
    status.elsewhere = slot.elsewhere;
    const double latency = model_.latency(slot, now);
    status.latency = to_duration(latency);
    status.success = static_cast<double>(slot.windows.share());
    status.failures_in_row = slot.windows.failures_in_row();
    status.cost = info_->uses_latency ? model_.cost(slot, latency)
                                      : slot.load() * static_cast<double>(slot.inverse);
    status.warmup = static_cast<double>(warmth_[index]);
    const Counters ended = outcomes(index);
    const auto count = [&](Outcome outcome) { return ended[static_cast<std::size_t>(outcome)]; };
    status.successes = count(Outcome::kSuccess);
    status.failures = count(Outcome::kFailure);
    status.cancelled = count(Outcome::kCancelled);
    status.rejected = count(Outcome::kRejected);
    status.overloaded = count(Outcome::kOverloaded);
    status.connect_failed = count(Outcome::kConnectFailed);
    status.picks = slot.in_flight;
    for (const std::uint64_t some : ended) status.picks += some;
    status.reason = reason(index, now);
    out.push_back(status);
  }
}

Explanation Core::explain(const Decision& decision) const {
  const auto name_of = [this](EndpointId id) {
    const auto found = index_.find(id);
    return found != index_.end() ? infos_[found->second].endpoint.name
                                 : "id " + std::to_string(static_cast<std::uint64_t>(id));
  };
  const PickTrace& trace = decision.trace;
  Explanation out;
  out.policy = options_.policy.name;
  out.custom = options_.custom != nullptr;
  out.sequence = decision.sequence;
  out.at = trace.at;
  for (std::uint32_t i = 0; i < trace.count; ++i) {
    const PickTrace::Entry entry = trace.entry(i);
    const Decision::Terms& terms = decision.terms[i];
    Explanation::Candidate candidate;
    candidate.id = terms.id;
    candidate.name = name_of(candidate.id);
    candidate.latency = to_duration(entry.latency_ns);
    candidate.elsewhere = std::min(terms.elsewhere, entry.load - 1);
    candidate.in_flight = entry.load - 1 - candidate.elsewhere;
    candidate.weight = terms.weight;
    candidate.warmup = static_cast<double>(terms.warmth);
    candidate.success =
        1 / (static_cast<double>(terms.inverse) * candidate.weight * candidate.warmup);
    candidate.cost = entry.cost;
    candidate.chosen = entry.slot == trace.chosen;
    candidate.note = candidate.chosen ? note_of(trace.how) : "";
    out.candidates.push_back(std::move(candidate));
  }
  for (std::uint32_t i = 0; i < trace.tried_count; ++i) {
    out.excluded.push_back({decision.tried[i], name_of(decision.tried[i]), "tried"});
  }
  for (std::uint32_t i = 0; i < decision.excluded_count; ++i) {
    const Decision::Excluded& excluded = decision.excluded[i];
    out.excluded.push_back(
        {excluded.id, name_of(excluded.id), std::string(bar_name(excluded.bars))});
  }
  return out;
}

Explanation Core::explain() const {
  Decision decision;
  describe(view_, trace_, view_.picks, decision);
  decision.excluded_count = 0;
  Explanation out = explain(decision);
  for (const std::uint32_t slot : by_column_) {
    if (positions_[slot] < view_.eligible.size()) continue;
    const Endpoint& endpoint = infos_[slot].endpoint;
    out.excluded.push_back({endpoint.id, endpoint.name, reason(slot, trace_.at)});
  }
  return out;
}

std::vector<Explanation> Core::decisions(std::size_t most) const {
  std::vector<Explanation> out;
  if (observers_ == nullptr) return out;
  for (const Decision* decision : observers_->decisions(most)) out.push_back(explain(*decision));
  return out;
}

ShadowReport Core::shadow() const {
  return observers_ != nullptr ? observers_->shadow() : ShadowReport();
}

}  // namespace evener::balance_internal
