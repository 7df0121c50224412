// The rules that compare what two endpoints have in flight and nothing else. The smaller count
// wins, of equals the first drawn; weights are ignored. They differ in the draw:
//
//   grpc_least_request        gRFC A48, choiceCount 2: with replacement, so of two endpoints the
//                             busier gets a quarter
//   traefik_p2c               two draws; on a collision the next in order
//   yarp_power_of_two         distinct
//   finagle_p2c_least_loaded  distinct; Finagle's status gates and aperture are layers around it
//
// Facts: peers-clients.md 1A, 1B, 2.1; peers-proxies.md 2.4, 2.7. Left out: Traefik's loss of all
// counts when any part of its configuration changes.
#include "lab/peers/draws.h"
#include "lab/peers/peer_chooser.h"
#include "lab/peers/rules.h"

namespace evener::lab::peers {
namespace {

struct Nothing {};
using Draw = SlotPair (*)(Slots, Rng&);

template <Draw draw>
class InFlightP2c final : public PeerChooser<Nothing> {
 public:
  explicit InFlightP2c(const sim::ChooserContext&) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots open) override {
    if (open.size() == 1) return Pick{open[0]};
    const auto [first, second] = draw(open, request.rng);
    return Pick{at(second).in_flight < at(first).in_flight ? second : first};
  }
};

}  // namespace

sim::ChooserFactory finagle_p2c_least_loaded() { return factory<InFlightP2c<draw_distinct>>(); }
sim::ChooserFactory grpc_least_request() { return factory<InFlightP2c<draw_two>>(); }
sim::ChooserFactory traefik_p2c() { return factory<InFlightP2c<draw_neighbourly>>(); }
sim::ChooserFactory yarp_power_of_two() { return factory<InFlightP2c<draw_distinct>>(); }

}  // namespace evener::lab::peers
