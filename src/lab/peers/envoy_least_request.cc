// envoy_least_request: Envoy's LEAST_REQUEST with its defaults (main of mid-2026).
//
// Weights equal: two draws with replacement; the second is taken only if it has strictly fewer
// active requests. Any weight differs: an earliest-deadline-first schedule instead, without
// choices: the host of the earliest deadline is taken and put back at its deadline plus
// (active + 1) / weight (bias 1), active as it is before the request. Joining hosts enter at the
// schedule's time plus 1 / weight, in order, so the first picks favour the heaviest.
// Facts: peers-proxies.md 2.1; peers-clients.md 2.1.
//
// Left out: panic, priorities, zones; slow start and outlier detection, both off by default. That
// the active count before the request is meant is our reading.
#include "lab/peers/draws.h"
#include "lab/peers/peer_chooser.h"
#include "lab/peers/rules.h"

namespace evener::lab::peers {
namespace {

struct Scheduled {
  double deadline = 0;
};

class EnvoyLeastRequest final : public PeerChooser<Scheduled> {
 public:
  explicit EnvoyLeastRequest(const sim::ChooserContext&) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots open) override {
    if (scheduled_) return pick_scheduled(open);
    const auto [first, second] = draw_two(open, request.rng);
    return Pick{at(second).in_flight < at(first).in_flight ? second : first};
  }

  Pick pick_scheduled(Slots open) {
    std::uint32_t best = open[0];
    for (const std::uint32_t slot : open) {
      if (at(slot).state.deadline < at(best).state.deadline) best = slot;
    }
    Member<Scheduled>& chosen = at(best);
    time_ = std::max(time_, chosen.state.deadline);
    chosen.state.deadline = time_ + (chosen.in_flight + 1) / chosen.weight;
    return Pick{best};
  }

  // The schedule is made anew with each update of the hosts.
  void changed(Time) override {
    scheduled_ = weights_differ();
    time_ = 0;
    for (const std::uint32_t slot : present()) at(slot).state.deadline = 1 / at(slot).weight;
  }

  bool scheduled_ = false;
  double time_ = 0;
};

}  // namespace

sim::ChooserFactory envoy_least_request() { return factory<EnvoyLeastRequest>(); }

}  // namespace evener::lab::peers
