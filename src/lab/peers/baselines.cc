// random: one draw, all alike, weights ignored.
// round_robin: in turn over the set's order, from a random place on; weights ignored.
// The two that everything is measured against.
#include <evener/rng.h>

#include "lab/peers/draws.h"
#include "lab/peers/peer_chooser.h"
#include "lab/peers/rules.h"

namespace evener::lab::peers {
namespace {

struct Nothing {};

class Random final : public PeerChooser<Nothing> {
 public:
  explicit Random(const sim::ChooserContext&) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots open) override {
    return Pick{draw_one(open, request.rng)};
  }
};

class RoundRobin final : public PeerChooser<Nothing> {
 public:
  explicit RoundRobin(const sim::ChooserContext& context) : next_(Rng(context.seed).u64() >> 1) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots) override {
    while (true) {
      const std::uint32_t slot = present()[next_++ % present().size()];
      if (is_open(at(slot), request.tried)) return Pick{slot};
    }
  }

  std::uint64_t next_;
};

}  // namespace

sim::ChooserFactory random() { return factory<Random>(); }
sim::ChooserFactory round_robin() { return factory<RoundRobin>(); }

}  // namespace evener::lab::peers
