// The peak-EWMA rules over two distinct draws: the smaller L x (q + 1), of equals the first drawn.
//
//     a sample x: L = x if x > L, else L w + x (1 - w), w = e^(-dt / 10 s)
//
// finagle_p2c_peak_ewma: L begins at 0, so an idle newcomer wins everything; with q > 0 and no
// answer yet its cost is 2^47 ns + q, so it gets one probe. Reading moves L by a sample of 0. All
// answers and failures are samples alike. q runs from choice to release.
// linkerd_peak_ewma: tower's rule (tower has no default of its own for the prior, so it is not
// listed apart): L begins at 30 ms; else as Finagle's, without the special cost.
// linkerd_peak_ewma_penalty: the opt-in of 2026: reading changes nothing; a 5xx counts as a round
// trip of 5 s, an overload as its Retry-After (at most 300 s) or 5 s, never less than the present
// estimate; what got no answer (time-out, failed connect) counts as the time it took.
// Facts: peers-clients.md 1A, 1B, 2.2, 2.3; peers-proxies.md 2.9.
//
// Weights are ignored. Left out: Finagle's status gates and failure accrual; linkerd's breaker and
// its queue with fail-fast. The simulator's kFailure is a 5xx.
#include <cmath>

#include "lab/peers/draws.h"
#include "lab/peers/peer_chooser.h"
#include "lab/peers/rules.h"

namespace evener::lab::peers {
namespace {

constexpr double kDecay_ns = 10e9;
constexpr double kLinkerdPrior_ns = 30e6;
constexpr double kPenalty_ns = 5e9;
constexpr double kRetryAfterMax_ns = 300e9;
constexpr double kUnprobed_ns = static_cast<double>((~0ULL >> 1) >> 16);

struct Peak {
  double latency_ns = 0;
  Time at;

  double projected(Time now) const {
    if (now <= at) return latency_ns;
    return latency_ns * std::exp(-static_cast<double>((now - at).ns()) / kDecay_ns);
  }
  void observe(double sample, Time now) {
    if (sample > latency_ns) {
      latency_ns = sample;
    } else {
      const double w =
          std::exp(-static_cast<double>(std::max(now - at, Duration()).ns()) / kDecay_ns);
      latency_ns = latency_ns * w + sample * (1 - w);
    }
    at = std::max(at, now);
  }
};

class PeakEwmaP2c : public PeerChooser<Peak> {
 protected:
  virtual double cost(Member<Peak>& member, Time now) const = 0;

  void ended(Member<Peak>& member, const sim::Answer& answer, double) override {
    member.state.observe(static_cast<double>(answer.latency().ns()), answer.now);
  }

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots open) final {
    if (open.size() == 1) return Pick{open[0]};
    const auto [first, second] = draw_distinct(open, request.rng);
    const double a = cost(at(first), request.now);
    const double b = cost(at(second), request.now);
    return Pick{b < a ? second : first};
  }
};

class FinaglePeakEwma final : public PeakEwmaP2c {
 public:
  explicit FinaglePeakEwma(const sim::ChooserContext&) {}

 private:
  double cost(Member<Peak>& member, Time now) const override {
    member.state.observe(0, now);
    const double latency = member.state.latency_ns;
    if (latency == 0 && member.in_flight > 0) return kUnprobed_ns + member.in_flight;
    return latency * (member.in_flight + 1);
  }
};

class LinkerdPeakEwma final : public PeakEwmaP2c {
 public:
  explicit LinkerdPeakEwma(const sim::ChooserContext&) {}

 private:
  double cost(Member<Peak>& member, Time now) const override {
    member.state.observe(0, now);
    return member.state.latency_ns * (member.in_flight + 1);
  }
  void joined(Member<Peak>& member, Time now) override { member.state = {kLinkerdPrior_ns, now}; }
};

class LinkerdPenalty final : public PeakEwmaP2c {
 public:
  explicit LinkerdPenalty(const sim::ChooserContext&) {}

 private:
  double cost(Member<Peak>& member, Time now) const override {
    return member.state.projected(now) * (member.in_flight + 1);
  }
  void ended(Member<Peak>& member, const sim::Answer& answer, double) override {
    Peak& peak = member.state;
    if (answer.now <= peak.at) return;  // such samples are dropped
    const double sample = effective(answer, peak.projected(answer.now));
    if (peak.projected(answer.now) < sample) {
      peak = {sample, answer.now};
    } else {
      peak.observe(sample, answer.now);
    }
  }
  void joined(Member<Peak>& member, Time now) override { member.state = {kLinkerdPrior_ns, now}; }

  static double effective(const sim::Answer& answer, double present) {
    const bool overloaded = answer.outcome == Outcome::kOverloaded;
    const bool failed = answer.outcome == Outcome::kFailure && !answer.timed_out;
    if (!overloaded && !failed) return static_cast<double>(answer.latency().ns());
    double penalty = kPenalty_ns;
    if (answer.retry_after > Duration()) {
      penalty = std::min(static_cast<double>(answer.retry_after.ns()), kRetryAfterMax_ns);
    }
    return std::max(penalty, present);
  }
};

}  // namespace

sim::ChooserFactory finagle_p2c_peak_ewma() { return factory<FinaglePeakEwma>(); }
sim::ChooserFactory linkerd_peak_ewma() { return factory<LinkerdPeakEwma>(); }
sim::ChooserFactory linkerd_peak_ewma_penalty() { return factory<LinkerdPenalty>(); }

}  // namespace evener::lab::peers
