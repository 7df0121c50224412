// grpc_weighted_round_robin: gRFC A58 with its defaults, over per-call reports.
//
//     w = qps / (utilization + eps / qps)                 error penalty 1.0
//     not reported, over 180 s old, or in the first 10 s of reports: the mean of the usable ones;
//     fewer than two usable: plain turns. Weights are taken over each second.
//     stride: scaled so that the greatest is 65535, i = seq mod n, g = seq / n; i is picked if
//             (w_i g + 32767 i) mod 65535 >= 65535 - w_i
//
// seq begins at a random number. Facts: peers-clients.md 2.8, row 62.
//
// It needs FleetOptions::reports. Those carry the utilisation of the moment and no rates, so qps
// and eps are this balancer's own over the last second, and the utilisation is the mean of that
// second's reports; real backends report smoothed ones of all their clients. A second in which a
// utilisation of 0 is reported throughout leaves the weight as it was. Left out: outlier detection
// (a layer around it, off by default), slow start (A100).
#include "lab/peers/draws.h"
#include "lab/peers/peer_chooser.h"
#include "lab/peers/rules.h"

namespace evener::lab::peers {
namespace {

constexpr Duration kBlackout = Duration::seconds(10);
constexpr Duration kExpiry = Duration::seconds(180);
constexpr Duration kUpdate = Duration::seconds(1);
constexpr std::uint64_t kMost = 65535;

struct Load {
  // Since the last update.
  double calls = 0;
  double errors = 0;
  double utilization = 0;
  double reports = 0;

  double weight = 0;
  Time first;
  Time last;
  std::uint64_t stride = kMost;
};

class GrpcWeightedRoundRobin final : public PeerChooser<Load> {
 public:
  explicit GrpcWeightedRoundRobin(const sim::ChooserContext& context)
      : sequence_(Rng(context.seed).u64() >> 32) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots open) override {
    if (request.now - updated_ >= kUpdate) update(request.now);
    const std::uint64_t n = open.size();
    while (true) {
      const std::uint64_t seq = sequence_++;
      const std::uint64_t i = seq % n;
      const std::uint64_t w = at(open[i]).state.stride;
      if ((w * (seq / n) + i * 32767) % kMost >= kMost - w) return Pick{open[i]};
    }
  }

  void ended(Member<Load>& member, const sim::Answer& answer, double) override {
    Load& load = member.state;
    ++load.calls;
    load.errors += answer.outcome == Outcome::kSuccess ? 0 : 1;
    if (!answer.report.utilization) return;
    load.utilization += *answer.report.utilization;
    ++load.reports;
  }

  void changed(Time now) override { restride(now); }

  void update(Time now) {
    const double elapsed_s = (now - updated_).to_seconds();
    for (const std::uint32_t slot : present()) take_report(at(slot).state, elapsed_s, now);
    updated_ = now;
    restride(now);
  }

  static void take_report(Load& load, double elapsed_s, Time now) {
    if (load.utilization > 0) {
      const double qps = load.calls / elapsed_s;
      const double eps = load.errors / elapsed_s;
      load.weight = qps / (load.utilization / load.reports + eps / qps);
      if (load.first == Time() || now - load.last > kExpiry) load.first = now;
      load.last = now;
    }
    load.calls = load.errors = load.utilization = load.reports = 0;
  }

  static double usable(const Load& load, Time now) {
    const bool in_time = load.first != Time() && now - load.first >= kBlackout;
    return in_time && now - load.last <= kExpiry ? load.weight : 0;
  }

  void restride(Time now) {
    double sum = 0;
    double greatest = 0;
    std::size_t known = 0;
    for (const std::uint32_t slot : present()) {
      const double w = usable(at(slot).state, now);
      sum += w;
      greatest = std::max(greatest, w);
      known += w > 0 ? 1 : 0;
    }
    for (const std::uint32_t slot : present()) {
      Load& load = at(slot).state;
      load.stride = kMost;
      if (known < 2) continue;
      double w = usable(load, now);
      if (w == 0) w = sum / static_cast<double>(known);
      const auto scaled = static_cast<std::uint64_t>(w / greatest * kMost + 0.5);
      load.stride = std::clamp<std::uint64_t>(scaled, 1, kMost);
    }
  }

  std::uint64_t sequence_;
  Time updated_;
};

}  // namespace

sim::ChooserFactory grpc_weighted_round_robin() { return factory<GrpcWeightedRoundRobin>(); }

}  // namespace evener::lab::peers
