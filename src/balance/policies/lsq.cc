// lsq: the endpoint with the least estimate per weight of all, ties at random. An estimate grows by
// one with each pick and is not lowered by answers; each pick sets one endpoint's at random to the
// truth, and a report sets its endpoint's at once. O(1) while weights are equal, else O(log n).
//
// Local shortest queue, Vargaftik, Keslassy and Orda 2020: for many balancers, each with its own
// view. Since views are refreshed at different times and in different places, they do not all see
// the same endpoint as the emptiest, which is what makes balancers herd. The truth is what the
// endpoint reported within a second, corrected by what was sent since, else this worker's own count
// and what others told it. One that warms up is left to its own part of a share.
#include <evener/balancer.h>

#include "balance/least_load.h"
#include "balance/per_member.h"
#include "balance/policies/policies.h"
#include "balance/reported_load.h"

namespace evener {
namespace {

class Lsq final : public Policy {
 public:
  void rebuild(const PoolView& pool, Rng&) override {
    members_.update(pool);
    for (const std::uint32_t slot : pool.members) {
      Member& member = members_[slot];
      if (member.seen != kNoSlot) continue;
      member.seen = pool.slots[slot].in_flight;
      member.estimate = pool.slots[slot].load() - 1;
    }
    least_.rebuild(pool, estimates());
  }

  bool follows_load() const override { return true; }
  void changed(const PoolView& pool, std::uint32_t slot) noexcept override {
    Member& member = members_[slot];
    const std::uint32_t in_flight = pool.slots[slot].in_flight;
    if (in_flight > member.seen) member.estimate += in_flight - member.seen;
    member.seen = in_flight;
    least_.changed(pool, slot, estimates());
  }

  void reported(const PoolView& pool, std::uint32_t slot, const EndpointReport& report,
                Time now) noexcept override {
    if (!report.in_flight) return;
    members_[slot].reported.take(*report.in_flight, pool.slots[slot], now);
    refresh(pool, slot, now);
  }

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    refresh(pool, pool.eligible[context.rng.below(pool.eligible.size())], context.now);
    const std::uint32_t slot = least_.least(pool, context, estimates());
    if (slot == Slot::kNone) return kNoSlot;
    const Slot& counts = pool.slots[slot];
    const double cost = (members_[slot].estimate + 1.0) * static_cast<double>(counts.inverse);
    context.trace.add(slot, counts, 0, cost);
    return slot;
  }

 private:
  struct Member {
    std::uint32_t estimate = 0;
    std::uint32_t seen = kNoSlot;  // in flight when last told of a change
    ReportedLoad reported;
  };
  struct Estimates {
    const PerMember<Member>& members;
    std::uint32_t operator()(std::uint32_t slot) const { return members[slot].estimate; }
  };

  Estimates estimates() const { return {members_}; }

  void refresh(const PoolView& pool, std::uint32_t slot, Time now) noexcept {
    Member& member = members_[slot];
    member.estimate = member.reported.at(pool.slots[slot], now);
    least_.changed(pool, slot, estimates());
  }

  PerMember<Member> members_;
  LeastLoad least_{LeastLoad::Cold::kOut};
};

}  // namespace

std::unique_ptr<Policy> make_lsq(const PolicySettings&) { return std::make_unique<Lsq>(); }

}  // namespace evener
