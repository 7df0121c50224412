// nginx's open-source rules that count (1.31, July 2026). Passive failures: nginx_peers.h.
//
// nginx_round_robin: the default; smooth weighted turns.
// nginx_random_two: `random two least_conn`. Draws in proportion to weight until two distinct
// usable ones are found; the lower connections / weight is taken, of equals the first drawn (our
// reading). Tried, failed and repeated ones are drawn again; the twentieth such draw falls back to
// the weighted turn. Facts: peers-proxies.md 2.3.
#include "lab/peers/draws.h"
#include "lab/peers/nginx_peers.h"
#include "lab/peers/rules.h"

namespace evener::lab::peers {
namespace {

constexpr int kDrawsMax = 20;
constexpr auto kAnyone = [](std::uint32_t) { return true; };

class NginxRoundRobin final : public NginxPeers {
 public:
  explicit NginxRoundRobin(const sim::ChooserContext&) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots open) override {
    return in_turn(open, request.now, kAnyone);
  }
};

class NginxRandomTwo final : public NginxPeers {
 public:
  explicit NginxRandomTwo(const sim::ChooserContext&) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots open) override {
    std::optional<std::uint32_t> first;
    for (int wasted = 0; wasted < kDrawsMax;) {
      const std::uint32_t slot = draw(request.rng);
      const Member<NginxState>& member = at(slot);
      if (first == slot || !is_open(member, request.tried) || !usable(member, request.now)) {
        ++wasted;
      } else if (!first) {
        first = slot;
      } else {
        const std::uint32_t chosen = lower(*first, slot);
        taken(at(chosen), request.now);
        return Pick{chosen};
      }
    }
    return in_turn(open, request.now, kAnyone);
  }

  std::uint32_t draw(Rng& rng) const {
    if (!weighted_) return draw_one(present(), rng);
    return draw_weighted(present(), rng, [this](std::uint32_t slot) { return at(slot).weight; });
  }
  std::uint32_t lower(std::uint32_t first, std::uint32_t second) const {
    const Member<NginxState>& a = at(first);
    const Member<NginxState>& b = at(second);
    return b.in_flight * a.weight < a.in_flight * b.weight ? second : first;
  }
  void changed(Time now) override {
    NginxPeers::changed(now);
    weighted_ = weights_differ();
  }

  bool weighted_ = false;
};

}  // namespace

sim::ChooserFactory nginx_random_two() { return factory<NginxRandomTwo>(); }
sim::ChooserFactory nginx_round_robin() { return factory<NginxRoundRobin>(); }

}  // namespace evener::lab::peers
