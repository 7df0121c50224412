// nginx_least_time: `least_time header`, without `inflight` (1.31.0 and later, July 2026).
//
//     score = buckets x (1 + conns) / weight     the least of all; of equals by weighted turn
//     buckets = the estimate in steps of 20 ms, rounded up, at most 5,000 ms
//     estimate += 0.05 (latency - estimate)      answers only, whatever the time between
//     halved for each fail_timeout (10 s) without a sample, so the slow are tried again
//
// 1 ms and 19 ms are the same; above 5 s it counts connections only. Passive failures:
// nginx_peers.h. Facts: peers-proxies.md 2.3; the turn among equals: nginx.org,
// ngx_http_upstream_module, `least_time`.
//
// Our readings: the first sample is taken as it is; no estimate is one bucket, not none, so a
// newcomer is not better than the fastest.
#include <cmath>

#include "lab/peers/nginx_peers.h"
#include "lab/peers/rules.h"

namespace evener::lab::peers {
namespace {

constexpr double kGain = 0.05;
constexpr double kBucketNs = 20e6;
constexpr double kBucketsMax = 250;

class NginxLeastTime final : public NginxPeers {
 public:
  explicit NginxLeastTime(const sim::ChooserContext&) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots open) override {
    double least = 0;
    bool found = false;
    for (const std::uint32_t slot : open) {
      if (!usable(at(slot), request.now)) continue;
      const double mine = score(at(slot), request.now);
      if (!found || mine < least) least = mine;
      found = true;
    }
    return in_turn(open, request.now,
                   [&](std::uint32_t slot) { return score(at(slot), request.now) == least; });
  }

  void ended(Member<NginxState>& member, const sim::Answer& answer, double note) override {
    NginxPeers::ended(member, answer, note);
    if (!answered(answer)) return;
    NginxState& state = member.state;
    const auto sample = static_cast<double>(answer.latency().ns());
    const double known = aged(state, answer.now);
    state.latency_ns = known == 0 ? sample : known + kGain * (sample - known);
    state.sampled_at = answer.now;
  }

  static double aged(const NginxState& state, Time now) {
    const auto periods = static_cast<int>(
        std::min<std::int64_t>((now - state.sampled_at).ns() / kFailTimeout.ns(), 64));
    return std::ldexp(state.latency_ns, -periods);
  }
  static double score(const Member<NginxState>& member, Time now) {
    const double buckets = std::ceil(aged(member.state, now) / kBucketNs);
    return std::clamp(buckets, 1.0, kBucketsMax) * (1 + member.in_flight) / member.weight;
  }
};

}  // namespace

sim::ChooserFactory nginx_least_time() { return factory<NginxLeastTime>(); }

}  // namespace evener::lab::peers
