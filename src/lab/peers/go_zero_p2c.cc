// go_zero_p2c: go-zero's gRPC balancer `p2c_ewma` (newest snapshot of 2026).
//
//     load    = floor(sqrt(L + 1)) x (q + 1)                               L in whole ns
//     L       = L w + x (1 - w), w = e^(-dt / 10 s), dt between answers; the first sample replaces
//     success = the same average of 1000 and 0; healthy above 500
//
// Up to three distinct pairs are drawn until both are healthy; two endpoints are compared as they
// are. The smaller load wins, of equals the first drawn; the loser is taken instead if it was not
// picked for a second. Weights are ignored. Facts: peers-clients.md 1A to 1C, 2.9.
//
// All outcomes but success count as 0 for `success`, and all are samples of latency. Left out: the
// loss of all state when the set changes (its picker is made anew with each ready connection).
#include <cmath>

#include "lab/peers/draws.h"
#include "lab/peers/peer_chooser.h"
#include "lab/peers/rules.h"

namespace evener::lab::peers {
namespace {

constexpr int kDraws = 3;
constexpr double kDecayNs = 10e9;
constexpr Duration kForce = Duration::seconds(1);
constexpr double kBest = 1000;
constexpr double kHealthy = 500;

struct Conn {
  double latency_ns = 0;
  double success = kBest;
  Time last;
  Time picked;
};

class GoZeroP2c final : public PeerChooser<Conn> {
 public:
  explicit GoZeroP2c(const sim::ChooserContext&) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots open) override {
    if (open.size() == 1) return choose_one(open[0], request.now);
    SlotPair pair{open[0], open[1]};
    for (int i = 0; open.size() > 2 && i < kDraws; ++i) {
      pair = draw_distinct(open, request.rng);
      if (healthy(pair.first) && healthy(pair.second)) break;
    }
    if (load(pair.first) > load(pair.second)) std::swap(pair.first, pair.second);
    const bool forced = request.now - at(pair.second).state.picked > kForce;
    return choose_one(forced ? pair.second : pair.first, request.now);
  }

  Pick choose_one(std::uint32_t slot, Time now) {
    at(slot).state.picked = now;
    return Pick{slot};
  }
  double load(std::uint32_t slot) const {
    return std::floor(std::sqrt(at(slot).state.latency_ns + 1)) * (at(slot).in_flight + 1);
  }
  bool healthy(std::uint32_t slot) const { return at(slot).state.success > kHealthy; }

  void ended(Member<Conn>& member, const sim::Answer& answer, double) override {
    Conn& conn = member.state;
    const auto elapsed = static_cast<double>((answer.now - conn.last).ns());
    conn.last = answer.now;
    const auto sample = static_cast<double>(answer.latency().ns());
    const double w = conn.latency_ns == 0 ? 0 : std::exp(-elapsed / kDecayNs);
    conn.latency_ns = std::floor(conn.latency_ns * w + sample * (1 - w));
    const double result = answer.outcome == Outcome::kSuccess ? kBest : 0;
    conn.success = std::floor(conn.success * w + result * (1 - w));
  }
};

}  // namespace

sim::ChooserFactory go_zero_p2c() { return factory<GoZeroP2c>(); }

}  // namespace evener::lab::peers
