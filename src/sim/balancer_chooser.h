// BalancerChooser: the real Balancer as the simulator's chooser.
//
// Tickets wait in a slab while their requests are out. Owned by the fleet. Cost: a pick and a
// finish, and about 10 ns for the slab.
#pragma once

#include <evener/balancer.h>

#include <string_view>

#include "sim/chooser.h"
#include "sim/slab.h"

namespace evener::sim {

class BalancerChooser final : public Chooser {
 public:
  // REQUIRES: check_options(options) succeeds.
  explicit BalancerChooser(BalancerOptions options);

  std::optional<Choice> choose(const ChoiceRequest& request) override;
  void done(const Choice& choice, const Answer& answer) override;
  void apply(const EndpointSetPtr& set, Time now) override { balancer_.apply(set, now); }
  void tick(Time now) override { balancer_.tick(now); }
  std::optional<std::uint64_t> in_flight() const override { return balancer_.in_flight(); }

  Balancer& balancer() { return balancer_; }

 private:
  static constexpr std::size_t kTriedMax = 16;

  Balancer balancer_;
  bool keyed_;
  Slab<Ticket> tickets_;
};

// Makes one Balancer with these options for each of the fleet's balancers; seed and worker are the
// context's.
ChooserFactory balancer_choosers(const BalancerOptions& options);
// The same with a policy's settings only.
ChooserFactory balancer_choosers(const PolicySettings& policy);

}  // namespace evener::sim
