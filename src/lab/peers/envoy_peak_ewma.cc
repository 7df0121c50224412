// envoy_peak_ewma: Envoy's contrib peak_ewma (PR #40653, v3alpha), with what it does to latencies.
//
//     cost = ewma_ms x (active + 1);  no sample: 10 ms while idle, else 1,000,000 + active
//
// Two draws, on a collision the next in order; of equals one at random. Every 100 ms the samples of
// each host are folded in, oldest first, each with a gain of 1 - e^(-age / 10 s), age as of that
// moment: the oldest counts most and the window depends on the request rate. It is no peak: nothing
// jumps. Latencies are whole milliseconds and 0 is discarded, so a host faster than that never has
// one and costs a million while busy. Errors are timed like successes; weights are ignored.
// Facts: peers-proxies.md 2.1; peers-clients.md 1A, 1B, rows 21, 22, 24, 42.
//
// Our readings: the first sample of a host is taken as it is; the moments are multiples of 100 ms.
// Left out: the ring's limit of 1,000 samples per host and fold; answers that never came (a
// time-out or a failed connect) are no samples, there being no response to time.
#include <cmath>

#include "lab/peers/draws.h"
#include "lab/peers/peer_chooser.h"
#include "lab/peers/rules.h"

namespace evener::lab::peers {
namespace {

constexpr double kDecay_s = 10;
constexpr double kDefaultMs = 10;
constexpr double kPenalty = 1'000'000;
constexpr Duration kFoldEvery = Duration::milliseconds(100);

struct Sample {
  Time at;
  double ms;
};
struct Host {
  double ewma_ms = 0;
  bool known = false;
  std::vector<Sample> samples = {};  // since the last fold
};

class EnvoyPeakEwma final : public PeerChooser<Host> {
 public:
  explicit EnvoyPeakEwma(const sim::ChooserContext&) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots open) override {
    fold(request.now);
    if (open.size() == 1) return Pick{open[0]};
    const auto [first, second] = draw_neighbourly(open, request.rng);
    const double a = cost(at(first));
    const double b = cost(at(second));
    if (a == b) return Pick{request.rng.below(2) == 0 ? first : second};
    return Pick{b < a ? second : first};
  }

  void ended(Member<Host>& member, const sim::Answer& answer, double) override {
    fold(answer.now);
    if (answer.timed_out || answer.outcome == Outcome::kConnectFailed) return;
    const auto ms = static_cast<double>(answer.latency().ms());
    if (ms > 0) member.state.samples.push_back({answer.now, ms});
  }

  static double cost(const Member<Host>& member) {
    if (member.state.known) return member.state.ewma_ms * (member.in_flight + 1);
    return member.in_flight == 0 ? kDefaultMs : kPenalty + member.in_flight;
  }

  // All samples not yet folded in came since the last moment, so they are due at `next_`.
  void fold(Time now) {
    if (now < next_) return;
    for (const std::uint32_t slot : present()) {
      Host& host = at(slot).state;
      for (const Sample& sample : host.samples) fold_in(host, sample);
      host.samples.clear();
    }
    next_ = Time::from_ns((now.ns() / kFoldEvery.ns() + 1) * kFoldEvery.ns());
  }
  void fold_in(Host& host, const Sample& sample) const {
    const double gain = 1 - std::exp(-(next_ - sample.at).to_seconds() / kDecay_s);
    host.ewma_ms = host.known ? host.ewma_ms + gain * (sample.ms - host.ewma_ms) : sample.ms;
    host.known = true;
  }

  Time next_ = Time() + kFoldEvery;
};

}  // namespace

sim::ChooserFactory envoy_peak_ewma() { return factory<EnvoyPeakEwma>(); }

}  // namespace evener::lab::peers
