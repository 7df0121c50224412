// reported: of a few distinct endpoints drawn at random, the one of least cost
//   (in_flight + elsewhere + 1) / (weight x warmup x (1 - utilisation))
// with the utilisation that the endpoint itself reports, at most 0.98. O(choices).
//
// Netflix Zuul's choice of two, which compares its own view together with the server's: own counts
// are at once but see one balancer's requests, reports see all but come late. A report counts in
// full for 10 s and then fades, over 10 s more, to the mean of what the members last reported,
// which also stands for those that never did. Without any report this is p2c.
#include <evener/balancer.h>

#include <algorithm>
#include <cmath>

#include "balance/per_member.h"
#include "balance/policies/policies.h"
#include "balance/sampler.h"

namespace evener {
namespace {

class Reported final : public Policy {
 public:
  explicit Reported(std::uint32_t choices) : choices_(choices) {}

  void rebuild(const PoolView& pool, Rng&) override {
    members_.update(pool);
    sum_ = 0;
    known_ = 0;
    for (const std::uint32_t slot : pool.members) {
      if (!members_[slot].known) continue;
      sum_ += members_[slot].utilization;
      ++known_;
    }
  }

  void reported(const PoolView&, std::uint32_t slot, const EndpointReport& report,
                Time now) noexcept override {
    if (!report.utilization || !(*report.utilization >= 0)) return;
    Member& member = members_[slot];
    const double utilization = std::min(*report.utilization, kMost);
    sum_ += utilization - (member.known ? member.utilization : 0);
    known_ += member.known ? 0 : 1;
    member = {utilization, now, true};
  }

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    Candidates candidates;
    draw_candidates(pool, context, choices_, candidates);
    return least_cost(pool, candidates, [&](std::uint32_t index, const Slot& slot) {
      const double free = 1 - utilization(members_[index], context.now);
      const double cost = slot.load() * static_cast<double>(slot.inverse) / free;
      context.trace.add(index, slot, 0, cost);
      return cost;
    });
  }

 private:
  static constexpr double kMost = 0.98;
  static constexpr Duration kFresh = Duration::seconds(10);
  static constexpr Duration kFades = Duration::seconds(10);

  struct Member {
    double utilization = 0;
    Time at;
    bool known = false;
  };

  double utilization(const Member& member, Time now) const {
    if (known_ == 0) return 0;
    const double mean = std::clamp(sum_ / known_, 0.0, kMost);
    if (!member.known) return mean;
    const double over = (now - member.at - kFresh).to_seconds() / kFades.to_seconds();
    return std::lerp(member.utilization, mean, std::clamp(over, 0.0, 1.0));
  }

  std::uint32_t choices_;
  PerMember<Member> members_;
  double sum_ = 0;  // of the members' last reports
  std::uint32_t known_ = 0;
};

}  // namespace

std::unique_ptr<Policy> make_reported(const PolicySettings& settings) {
  return std::make_unique<Reported>(choices_of(settings));
}

}  // namespace evener
