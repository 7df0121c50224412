// c3: the server selection of C3 (Suresh et al., NSDI 2015).
//
//     score = R - 1/mu + q^3 / mu          q = 1 + outstanding x clients + qbar; the least of all
//     R, 1/mu, qbar: averages of the latency seen, of the service time and of the queue that
//     servers report, with weight 0.9 on the new sample
//
// Facts: theory.md 3. Answers carry what the server knows without FleetOptions::reports: the
// request's own service time (its work at the server's speed) and the requests there as it ends.
// An error answer is told alike (its service no longer than it took), a time-out is only a response
// time, a failed connect nothing: C3 knows no failures. Equals, such as newcomers (score 0), are
// taken at random.
//
// Left out: the cubic rate control (its initial rates are not published with the formula), and
// replica groups: C3 chooses among the few replicas of a key, this rule among all. With many
// balancers the outstanding requests of one count for all, as in the paper.
#include "lab/peers/draws.h"
#include "lab/peers/peer_chooser.h"
#include "lab/peers/rules.h"
#include "sim/server_bank.h"

namespace evener::lab::peers {
namespace {

constexpr double kNew = 0.9;

struct Seen {
  double response_s = 0;
  double service_s = 0;
  double queue = 0;
  bool answered = false;
  bool told = false;
};

class C3 final : public PeerChooser<Seen> {
 public:
  explicit C3(const sim::ChooserContext& context)
      : servers_(context.servers), clients_(context.balancers) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots open) override {
    std::uint32_t best = open[0];
    double least = score(at(best));
    std::uint64_t equals = 1;
    for (const std::uint32_t slot : open.subspan(1)) {
      const double mine = score(at(slot));
      if (mine > least) continue;
      equals = mine < least ? 1 : equals + 1;
      if (equals == 1 || request.rng.below(equals) == 0) best = slot;
      least = mine;
    }
    return Pick{best, request.work};
  }

  double score(const Member<Seen>& member) const {
    const Seen& seen = member.state;
    const double q = 1 + member.in_flight * clients_ + seen.queue;
    return seen.response_s - seen.service_s + q * q * q * seen.service_s;
  }

  void ended(Member<Seen>& member, const sim::Answer& answer, double work) override {
    if (answer.outcome == Outcome::kConnectFailed) return;
    Seen& seen = member.state;
    const double latency_s = answer.latency().to_seconds();
    average(seen.response_s, latency_s, seen.answered);
    seen.answered = true;
    if (answer.timed_out) return;
    const double speed = servers_.speed(member.server);
    average(seen.service_s, speed > 0 ? std::min(work / speed, latency_s) : latency_s, seen.told);
    average(seen.queue, servers_.in_system(member.server), seen.told);
    seen.told = true;
  }
  static void average(double& value, double sample, bool known) {
    value += (known ? kNew : 1) * (sample - value);
  }

  const sim::ServerBank& servers_;
  double clients_;
};

}  // namespace

sim::ChooserFactory c3() { return factory<C3>(); }

}  // namespace evener::lab::peers
