#include <algorithm>
#include <cmath>

#include "balance/core.h"

namespace evener::balance_internal {
namespace {

Duration to_duration(double ns) {
  return ns >= 9.2e18 ? Duration::max() : Duration::nanoseconds(static_cast<std::int64_t>(ns));
}

}  // namespace

std::string_view Core::reason(std::uint32_t slot) const {
  const Info& info = infos_[slot];
  if (!info.present) return "leaving";
  if (!info.endpoint.up) return "down";
  if (info.endpoint.draining) return "draining";
  return "eligible";
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
    status.eligible = info.position != Slot::kNone;
    status.in_flight = slot.in_flight;
    status.elsewhere = slot.elsewhere;
    const double latency = model_.latency(slot, now);
    status.latency = to_duration(latency);
    status.success = static_cast<double>(slot.windows.share());
    status.failures_in_row = slot.windows.failures_in_row();
    status.cost = info_->uses_latency ? model_.cost(slot, latency)
                                      : slot.load() * static_cast<double>(slot.inverse);
    const auto& by_outcome = counters_[index].by_outcome;
    status.successes = by_outcome[static_cast<std::size_t>(Outcome::kSuccess)];
    status.failures = by_outcome[static_cast<std::size_t>(Outcome::kFailure)];
    status.cancelled = by_outcome[static_cast<std::size_t>(Outcome::kCancelled)];
    status.rejected = by_outcome[static_cast<std::size_t>(Outcome::kRejected)];
    status.picks =
        status.successes + status.failures + status.cancelled + status.rejected + slot.in_flight;
    status.reason = reason(index);
    out.push_back(status);
  }
}

Explanation Core::explain() const {
  Explanation out;
  out.policy = options_.policy.name;
  out.sequence = picks_;
  out.at = trace_.at;
  for (std::uint32_t i = 0; i < trace_.count; ++i) {
    const PickTrace::Entry& entry = trace_.entries[i];
    const Endpoint& endpoint = infos_[entry.slot].endpoint;
    Explanation::Candidate candidate;
    candidate.id = endpoint.id;
    candidate.name = endpoint.name;
    candidate.latency = to_duration(entry.latency_ns);
    candidate.in_flight = entry.in_flight;
    candidate.elsewhere = entry.elsewhere;
    candidate.weight = endpoint.weight;
    candidate.success = 1 / (static_cast<double>(entry.inverse) * endpoint.weight);
    candidate.cost = entry.cost;
    candidate.chosen = entry.slot == trace_.chosen;
    candidate.note = candidate.chosen && trace_.probe ? "probe" : "";
    out.candidates.push_back(std::move(candidate));
  }
  for (const std::uint32_t slot : by_column_) {
    const auto* const tried_end = trace_.tried.begin() + trace_.tried_count;
    const bool tried = std::find(trace_.tried.begin(), tried_end, slot) != tried_end;
    if (infos_[slot].position != Slot::kNone && !tried) continue;
    const Endpoint& endpoint = infos_[slot].endpoint;
    out.excluded.push_back({endpoint.id, endpoint.name, tried ? "tried" : reason(slot)});
  }
  return out;
}

}  // namespace evener::balance_internal
