// brpc_p2c: Apache brpc's `p2c` (PR #3367, July 2026; read at 71871ee9).
//
//     score = max(L e^(-dt / 10 s), 1 us) x max(q + 1, 1) / weight         whole microseconds
//     L     = x if x > L, else L w + x (1 - w), w = e^(-dt / 10 s)
//     a failed call counts as max(latency, 500 ms, 2 L), at most 30 s; latency <= 0 is ignored
//
// Two distinct draws; the strictly smaller score wins. Two or fewer: all are looked at, from a
// random one on. No sample: 1 us, so a newcomer wins until its first answer. Facts:
// peers-clients.md 1A to 1C, 3; peers-proxies.md 2.8.
//
// 500 ms is brpc's default time-out of a call, whatever the fleet's. A refusal for overload is a
// failed call here. Left out: the circuit breaker (off by default), half-open recovery.
#include <cmath>

#include "lab/peers/draws.h"
#include "lab/peers/peer_chooser.h"
#include "lab/peers/rules.h"

namespace evener::lab::peers {
namespace {

constexpr double kTauUs = 10e6;
constexpr std::int64_t kTimeoutUs = 500'000;
constexpr std::int64_t kPunishMaxUs = 30'000'000;

struct Node {
  std::int64_t latency_us = 0;
  std::int64_t stamp_us = 0;
};

double kept(std::int64_t elapsed_us) {
  return elapsed_us > 0 ? std::exp(-static_cast<double>(elapsed_us) / kTauUs) : 1.0;
}

class BrpcP2c final : public PeerChooser<Node> {
 public:
  explicit BrpcP2c(const sim::ChooserContext&) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots open) override {
    if (open.size() == 1) return Pick{open[0]};
    const auto [first, second] = draw_distinct(open, request.rng);
    const std::int64_t now_us = request.now.ns() / 1000;
    return Pick{score(at(second), now_us) < score(at(first), now_us) ? second : first};
  }

  static double score(const Member<Node>& member, std::int64_t now_us) {
    const Node& node = member.state;
    const double decayed = static_cast<double>(node.latency_us) * kept(now_us - node.stamp_us);
    return std::max(decayed, 1.0) * (member.in_flight + 1) / member.weight;
  }

  void ended(Member<Node>& member, const sim::Answer& answer, double) override {
    Node& node = member.state;
    const std::int64_t now_us = answer.now.ns() / 1000;
    std::int64_t sample = now_us - answer.sent.ns() / 1000;
    if (sample <= 0) return;
    if (answer.outcome != Outcome::kSuccess) {
      sample = std::min(std::max({sample, kTimeoutUs, 2 * node.latency_us}), kPunishMaxUs);
    }
    if (node.latency_us == 0 || sample >= node.latency_us) {
      node.latency_us = sample;
    } else {
      const double w = kept(now_us - node.stamp_us);
      node.latency_us = static_cast<std::int64_t>(static_cast<double>(node.latency_us) * w +
                                                  static_cast<double>(sample) * (1 - w));
    }
    node.stamp_us = now_us;
  }
};

}  // namespace

sim::ChooserFactory brpc_p2c() { return factory<BrpcP2c>(); }

}  // namespace evener::lab::peers
