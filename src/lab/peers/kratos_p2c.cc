// kratos_p2c: go-kratos v3, selector/p2c over selector/node/ewma (newest snapshot of 2026).
//
//     higher success / load wins; load = floor(sqrt(max(L, predict) + 5 ms)) x q     L in ns
//     q counts from 1; no answer yet: load = 10^5 x q, as if the latency were 10 s
//     L = L w + x (1 - w), w = e^(-dt / 600 ms); success the same of 1 and 0
//     predict = mean age of those requests in flight that are older than L, if they are more than
//               half of the (at most 200) tracked
//
// Two distinct draws, of equals the first; the loser is taken instead if it was not picked for 3 s.
// An endpoint's load is reckoned at most every 5 ms. Weights are ignored. Facts: peers-clients.md
// 1A to 1C, 2.10.
//
// Our readings: the first sample is taken as it is; q in a cached load is the present one. The
// simulator's kFailure is one of those that count as failures (net errors, 503, 504, deadline).
#include <cmath>

#include "lab/peers/draws.h"
#include "lab/peers/peer_chooser.h"
#include "lab/peers/rules.h"

namespace evener::lab::peers {
namespace {

constexpr double kTau_ns = 600e6;
constexpr double kMargin_ns = 5e6;
constexpr double kUnknown = 1e5;
constexpr std::size_t kTrackedMax = 200;
constexpr Duration kForce = Duration::seconds(3);
constexpr Duration kCache = Duration::milliseconds(5);

struct Node {
  double latency_ns = 0;
  double success = 1;
  Time last;
  Time picked;
  double root = kUnknown;  // of the load, as of `rooted`
  Time rooted;
  bool known = false;
  bool cached = false;
  std::vector<Time> begun = {};
};

class KratosP2c final : public PeerChooser<Node> {
 public:
  explicit KratosP2c(const sim::ChooserContext&) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots open) override {
    std::uint32_t chosen = open[0];
    if (open.size() > 1) {
      auto [best, loser] = draw_distinct(open, request.rng);
      if (value(at(loser), request.now) > value(at(best), request.now)) std::swap(best, loser);
      const bool forced = request.now - at(loser).state.picked > kForce;
      chosen = forced ? loser : best;
    }
    Node& node = at(chosen).state;
    node.picked = request.now;
    if (node.begun.size() < kTrackedMax) node.begun.push_back(request.now);
    return Pick{chosen};
  }

  static double value(Member<Node>& member, Time now) {
    Node& node = member.state;
    if (!node.cached || now - node.rooted > kCache) {
      node.root =
          node.known
              ? std::floor(std::sqrt(std::max(node.latency_ns, predict(node, now)) + kMargin_ns))
              : kUnknown;
      node.rooted = now;
      node.cached = true;
    }
    return node.success / (node.root * (member.in_flight + 1));
  }

  static double predict(const Node& node, Time now) {
    double sum = 0;
    std::size_t late = 0;
    for (const Time begun : node.begun) {
      const auto age = static_cast<double>((now - begun).ns());
      if (age <= node.latency_ns) continue;
      sum += age;
      ++late;
    }
    return late > node.begun.size() / 2 ? sum / static_cast<double>(late) : 0;
  }

  void ended(Member<Node>& member, const sim::Answer& answer, double) override {
    Node& node = member.state;
    const auto begun = std::ranges::find(node.begun, answer.sent);
    if (begun != node.begun.end()) {
      *begun = node.begun.back();
      node.begun.pop_back();
    }
    const auto elapsed = static_cast<double>((answer.now - node.last).ns());
    const double w = node.known ? std::exp(-elapsed / kTau_ns) : 0;
    const auto sample = static_cast<double>(answer.latency().ns());
    node.latency_ns = node.latency_ns * w + sample * (1 - w);
    node.success = node.success * w + (answer.outcome == Outcome::kSuccess ? 1 - w : 0);
    node.last = answer.now;
    node.known = true;
  }
};

}  // namespace

sim::ChooserFactory kratos_p2c() { return factory<KratosP2c>(); }

}  // namespace evener::lab::peers
