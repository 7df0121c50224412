#include <algorithm>

#include "balance/core.h"
#include "balance/sampler.h"

namespace evener::balance_internal {

double Core::batch_cost(std::uint32_t slot, Time now) const noexcept {
  const Slot& counts = slots_[slot];
  if (info_->uses_latency) return model_.cost(counts, model_.latency(counts, now));
  return counts.load() * static_cast<double>(counts.inverse);
}

std::expected<std::size_t, PickError> Core::pick_batch(const PickRequest& request,
                                                       std::uint32_t probes,
                                                       std::span<Ticket> tickets) noexcept {
  if (tickets.empty()) return 0;
  // The first as any other pick, for its errors and for those that must be heard from.
  auto first = pick(request);
  if (!first) return std::unexpected(first.error());
  tickets[0] = std::move(*first);
  std::size_t placed = 1;
  const auto& eligible = view_.eligible;
  const std::uint64_t wanted = std::uint64_t{std::max(probes, 1U)} * tickets.size();
  const auto looks = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, eligible.size()));
  const auto is_tried = [&](std::uint32_t slot) {
    return std::ranges::find(request.tried, infos_[slot].endpoint.id) != request.tried.end();
  };
  // A shuffle of the first places of the list, whose order means nothing, draws distinct ones.
  batch_.clear();
  for (std::size_t i = 0; i < eligible.size() && batch_.size() < looks; ++i) {
    const std::uint64_t other = i + rng_.below(eligible.size() - i);
    swap_places(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(other));
    if (!is_tried(eligible[i]))
      batch_.push_back({batch_cost(eligible[i], request.now), eligible[i]});
  }
  const auto costlier = [](const BatchItem& a, const BatchItem& b) { return a.cost > b.cost; };
  std::ranges::make_heap(batch_, costlier);
  while (placed < tickets.size() && !batch_.empty()) {
    std::ranges::pop_heap(batch_, costlier);
    BatchItem& item = batch_.back();
    if (barred_[item.slot] != 0) {
      batch_.pop_back();
      continue;
    }
    tickets[placed++] = issue(item.slot, request.now);
    item.cost = batch_cost(item.slot, request.now);
    std::ranges::push_heap(batch_, costlier);
  }
  // Nobody was eligible, or nobody is any more: in panic, if at all.
  while (placed < tickets.size() && eligible.empty()) {
    auto next = pick(request);
    if (!next) break;
    tickets[placed++] = std::move(*next);
  }
  return placed;
}

}  // namespace evener::balance_internal
