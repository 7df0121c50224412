#include "balance/observers.h"

#include <algorithm>

namespace evener::balance_internal {

std::unique_ptr<Observers> Observers::make(const BalancerOptions& options) {
  if (options.decisions.entries == 0 && !options.shadow) return nullptr;
  return std::unique_ptr<Observers>(
      new Observers(options));  // tidy: allow(new) the constructor is private
}

Observers::Observers(const BalancerOptions& options)
    : ring_(options.decisions.entries),
      every_(options.decisions.every),
      // Another stream than the balancer's own: the shadow must not move its draws.
      rng_(mix64(options.seed ^ 0x5348'4144'4f57ULL)) {
  if (!options.shadow) return;
  shadow_name_ = options.shadow->name;
  const PolicyInfo* info = find_policy(shadow_name_);
  shadow_ = std::move(*make_policy(*options.shadow));
  follows_load_ = shadow_->follows_load();
  takes_reports_ = info->takes_reports;
}

void Observers::rebuild(const PoolView& pool) {
  if (shadow_ != nullptr) shadow_->rebuild(pool, rng_);
}

void Observers::picked(const PoolView& pool, const PickContext& context,
                       std::uint64_t sequence) noexcept {
  if (!ring_.empty() && --countdown_ == 0) {
    countdown_ = every_;
    remember(pool, context.trace, sequence);
  }
  if (shadow_ != nullptr) ask_shadow(pool, context);
}

void describe(const PoolView& pool, const PickTrace& trace, std::uint64_t sequence, Decision& out) {
  out.sequence = sequence;
  out.trace.at = trace.at;
  out.trace.count = trace.count;
  out.trace.chosen = trace.chosen;
  out.trace.tried_count = trace.tried_count;
  out.trace.how = trace.how;
  for (std::uint32_t i = 0; i < trace.count; ++i) {
    const std::uint32_t slot = trace.slot[i];
    out.trace.set(i, trace.entry(i));
    const Slot& counts = pool.slots[slot];
    out.terms[i] = {pool.endpoints[slot]->id, pool.weights[slot], counts.inverse, pool.warmth[slot],
                    counts.elsewhere};
  }
  for (std::uint32_t i = 0; i < trace.tried_count; ++i) {
    out.tried[i] = pool.endpoints[trace.tried[i]]->id;
  }
  out.excluded_count = 0;
  for (const std::uint32_t slot : pool.out) {
    if (out.excluded_count == Decision::kExcludedMax) break;
    out.excluded[out.excluded_count++] = {pool.endpoints[slot]->id, pool.barred[slot]};
  }
}

void Observers::remember(const PoolView& pool, const PickTrace& trace,
                         std::uint64_t sequence) noexcept {
  describe(pool, trace, sequence, ring_[next_]);
  next_ = next_ + 1 == ring_.size() ? 0 : next_ + 1;
  remembered_ = std::min(remembered_ + 1, ring_.size());
}

void Observers::ask_shadow(const PoolView& pool, const PickContext& context) noexcept {
  using How = PickTrace::How;
  // Trials, panic and the like are not a policy's doing.
  if (context.trace.how != How::kPolicy && context.trace.how != How::kProbe) return;
  if (pool.eligible.size() < context.tried_positions.size() + 2) return;
  shadow_trace_.begin(context.now);
  PickContext asked{context.now,         context.request_key, context.tried_positions,
                    context.tried_slots, context.barred,      rng_,
                    shadow_trace_};
  const std::uint32_t wanted = shadow_->pick(pool, asked);
  if (wanted == Slot::kNone) return;
  ++asked_;
  const std::uint32_t taken = context.trace.chosen;
  if (wanted == taken) return;
  ++differs_;
  const Slot& other = pool.slots[wanted];
  const Slot& mine = pool.slots[taken];
  const CostModel& model = pool.model;
  load_ratios_ += (other.load() / pool.weights[wanted]) / (mine.load() / pool.weights[taken]);
  cost_ratios_ += model.cost(other, model.latency(other, context.now)) /
                  model.cost(mine, model.latency(mine, context.now));
}

std::vector<const Decision*> Observers::decisions(std::size_t most) const {
  std::vector<const Decision*> out;
  const std::size_t count = std::min(most, remembered_);
  for (std::size_t i = 1; i <= count; ++i) {
    out.push_back(&ring_[(next_ + ring_.size() - i) % ring_.size()]);
  }
  return out;
}

ShadowReport Observers::shadow() const {
  ShadowReport report{.policy = shadow_name_, .picks = asked_, .differs = differs_};
  if (differs_ == 0) return report;
  report.load_ratio = load_ratios_ / static_cast<double>(differs_);
  report.cost_ratio = cost_ratios_ / static_cast<double>(differs_);
  return report;
}

}  // namespace evener::balance_internal
