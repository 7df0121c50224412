// prequal: of the endpoints that were lately probed, the one of least latency among those that are
// not hot. Each pick probes three at random, removes one, and may use a probe more than once: the
// rule and its constants are in probe_pool.h. O(16).
//
// A probe here is a look at what this worker knows of the endpoint: in flight here and elsewhere,
// the latency estimate, and what the endpoint reported itself within a second. It costs no message;
// what remains of Prequal is its rule. The paper's servers answer with the latency of requests that
// came at about their present load; our own estimate is of the loads it had, and is taken in
// proportion: without that the fastest gets all until it is hot, worse than at random. Failures
// multiply load and latency, or an endpoint that fails at once would look idle and fast. Under six
// endpoints, or with less than two probes, of two at random the one of least cost. Those that get
// nothing are looked at again: reprobe.h.
#include <evener/balancer.h>

#include "balance/per_member.h"
#include "balance/policies/policies.h"
#include "balance/probe_pool.h"
#include "balance/reported_load.h"
#include "balance/reprobe.h"
#include "balance/sampler.h"

namespace evener {
namespace {

class Prequal final : public Policy {
 public:
  explicit Prequal(const PolicySettings& settings) : reprobe_(settings.reprobe) {}

  void rebuild(const PoolView& pool, Rng&) override {
    members_.update(pool);
    probes_.reset(pool.members.size());
  }

  void reported(const PoolView& pool, std::uint32_t slot, const EndpointReport& report,
                Time now) noexcept override {
    Member& member = members_[slot];
    if (report.in_flight) member.load.take(*report.in_flight, pool.slots[slot], now);
    if (!report.latency || *report.latency < Duration()) return;
    member.latency_ns = static_cast<double>(report.latency->ns());
    member.latency_at = now;
    member.latency_known = true;
  }

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    const std::uint32_t slot = choose(pool, context);
    if (slot == kNoSlot) return slot;
    usual_load_ += (pool.slots[slot].load() - usual_load_) * kNewest;
    return slot;
  }

 private:
  static constexpr std::size_t kLeastEndpoints = 6;
  static constexpr double kNewest = 1.0 / 64;  // weight of the newest pick

  struct Member {
    ReportedLoad load;
    double latency_ns = 0;  // as reported
    Time latency_at;
    bool latency_known = false;
  };

  std::uint32_t choose(const PoolView& pool, PickContext& context) {
    Candidates looks;
    draw_candidates(pool, context, ProbePool::kProbesPerPick, looks);
    for (std::uint32_t i = 0; i < looks.count; ++i) {
      if (!reprobe_.due(pool, pool.slots[looks.slot[i]], context.now)) continue;
      context.trace.how = PickTrace::How::kProbe;
      return looks.slot[i];
    }
    if (pool.eligible.size() < kLeastEndpoints) return of_two(pool, context, looks);
    probes_.clean(context.now, [&](std::uint32_t slot) { return context.excluded(slot); });
    for (std::uint32_t i = 0; i < looks.count; ++i) {
      probes_.add(probe(pool, looks.slot[i], context.now), context.rng);
    }
    if (probes_.size() < 2) return of_two(pool, context, looks);
    const auto factor = [&pool](std::uint32_t slot) {
      return static_cast<double>(pool.slots[slot].inverse);
    };
    const std::size_t best = probes_.best(factor, context.rng);
    const std::uint32_t slot = probes_[best].slot;
    for (std::size_t i = 0; i < probes_.size(); ++i) {
      const Probe& seen = probes_[i];
      context.trace.add(seen.slot, pool.slots[seen.slot], seen.latency_ns,
                        seen.latency_ns * factor(seen.slot));
    }
    probes_.use(best);
    probes_.remove_one(factor);
    return slot;
  }

  // As reported, else what is known of it, whatever its load.
  double latency(const PoolView& pool, std::uint32_t index, Time now) const {
    const Member& member = members_[index];
    if (reports(index, now)) return member.latency_ns;
    const Slot& slot = pool.slots[index];
    const double own = pool.model.latency(slot, now);
    const bool pending = slot.waiting() != 0 && !slot.latency.known();
    return pending ? own * CostModel::kPendingPenalty : own;
  }

  bool reports(std::uint32_t index, Time now) const {
    const Member& member = members_[index];
    return member.latency_known && now - member.latency_at <= ReportedLoad::kFresh;
  }

  Probe probe(const PoolView& pool, std::uint32_t index, Time now) const {
    const Slot& slot = pool.slots[index];
    const double at_its_load = reports(index, now) ? 1 : slot.load() / usual_load_;
    return {.slot = index,
            .in_flight = members_[index].load.at(slot, now),
            .latency_ns = latency(pool, index, now) * at_its_load,
            .at = now};
  }

  // The first two of those drawn.
  std::uint32_t of_two(const PoolView& pool, PickContext& context, Candidates& looks) const {
    looks.count = std::min(looks.count, 2U);
    return least_cost(pool, looks, [&](std::uint32_t index, const Slot& slot) {
      const double known = latency(pool, index, context.now);
      const double load = members_[index].load.at(slot, context.now) + 1.0;
      const double cost = known * load * static_cast<double>(slot.inverse);
      context.trace.add(index, slot, known, cost);
      return cost;
    });
  }

  PerMember<Member> members_;
  double usual_load_ = 1;  // of the picks of all, the new request counted
  ProbePool probes_;
  Reprobe reprobe_;
};

}  // namespace

std::unique_ptr<Policy> make_prequal(const PolicySettings& settings) {
  return std::make_unique<Prequal>(settings);
}

}  // namespace evener
