// brpc_la: Apache brpc's locality-aware balancer, `la` (an early version read; newer constants from
// the facts).
//
//     weight = max(qps x 1008680231 / latency, 1000)      qps and mean latency (us) of the last 128
//     if D >= 1.5 latency: weight x 1.5 latency / D        D: mean age of what is in flight
//     one in proportion to weight, as of its last event; its weight is reckoned anew with D, and if
//     that no longer covers the dice, drawn again
//
// qps is (entries - 1) over the time between the oldest and the newest, at least 1. A newcomer has
// the others' mean weight, the first ones the scale itself. A failed call counts as 1.2 times its
// latency. Facts: peers-clients.md 1A, 2; peers-proxies.md 2.8; docs/cn/lalb.md.
//
// Left out: backup requests, the mix of a failure with the time-out on later attempts (the chooser
// is not told which attempt it is), the breaker (off by default). The peer keeps a tree of sums for
// O(log n); a walk over the members gives the same draws.
#include <algorithm>
#include <array>
#include <cmath>

#include "lab/peers/draws.h"
#include "lab/peers/peer_chooser.h"
#include "lab/peers/rules.h"

namespace evener::lab::peers {
namespace {

constexpr double kScale = 1'008'680'231;
constexpr double kLeastWeight = 1000;
constexpr double kErrorFactor = 1.2;
constexpr double kPunishFrom = 1.5;  // of the mean latency

struct Window {
  static constexpr std::uint32_t kSize = 128;
  struct Entry {
    double latency_us;
    std::int64_t end_us;
  };

  void add(double latency_us, std::int64_t end_us) {
    entries[next] = {latency_us, end_us};
    next = (next + 1) % kSize;
    count = std::min(count + 1, kSize);
  }
  const Entry& oldest() const { return entries[count < kSize ? 0 : next]; }
  // All but the oldest: the others' answers are what came in the time since it.
  double mean_of_newer() const {
    double sum = -oldest().latency_us;
    for (std::uint32_t i = 0; i < count; ++i) sum += entries[i].latency_us;
    return sum / (count - 1);
  }

  std::array<Entry, kSize> entries{};
  std::uint32_t next = 0;
  std::uint32_t count = 0;
};

struct Node {
  double base = kScale;
  double weight = kScale;
  double latency_us = 0;
  double begun_sum_us = 0;  // of what is in flight
  Window window;
};

std::int64_t us(Time time) { return time.ns() / 1000; }

class BrpcLa final : public PeerChooser<Node> {
 public:
  explicit BrpcLa(const sim::ChooserContext&) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots open) override {
    const auto now = static_cast<double>(us(request.now));
    std::uint32_t slot = open[0];
    for (std::size_t draw = 0; draw <= open.size(); ++draw) {
      double dice = 0;
      slot = draw_for(open, request.rng, dice);
      refresh(at(slot), now);
      if (dice <= at(slot).state.weight) break;
    }
    at(slot).state.begun_sum_us += now;
    return Pick{slot, now};
  }

  // `dice`: how far into the chosen one's weight the draw fell.
  std::uint32_t draw_for(Slots open, Rng& rng, double& dice) const {
    double total = 0;
    for (const std::uint32_t slot : open) total += at(slot).state.weight;
    dice = rng.uniform01() * total;
    for (const std::uint32_t slot : open) {
      if (dice < at(slot).state.weight) return slot;
      dice -= at(slot).state.weight;
    }
    dice = 0;
    return open.back();
  }

  static void refresh(Member<Node>& member, double now_us) {
    Node& node = member.state;
    double weight = node.base;
    if (member.in_flight > 0 && node.latency_us > 0) {
      const double age = now_us - node.begun_sum_us / member.in_flight;
      const double from = kPunishFrom * node.latency_us;
      if (age >= from) weight *= from / age;
    }
    node.weight = std::max(weight, kLeastWeight);
  }

  void ended(Member<Node>& member, const sim::Answer& answer, double begun_us) override {
    Node& node = member.state;
    node.begun_sum_us -= begun_us;
    const std::int64_t now = us(answer.now);
    double latency = static_cast<double>(now) - begun_us;
    if (latency <= 0) return;
    if (answer.outcome != Outcome::kSuccess) latency *= kErrorFactor;
    node.window.add(latency, now);
    double qps = 1;
    node.latency_us = latency;
    if (now > node.window.oldest().end_us) {
      const double elapsed_s = static_cast<double>(now - node.window.oldest().end_us) * 1e-6;
      qps = std::max((node.window.count - 1) / elapsed_s, 1.0);
      node.latency_us = node.window.mean_of_newer();
    }
    node.base = qps * kScale / std::max(node.latency_us, 1.0);
    refresh(member, static_cast<double>(now));
  }

  void joined(Member<Node>& member, Time) override {
    double total = 0;
    std::size_t others = 0;
    for (const std::uint32_t slot : present()) {
      if (&at(slot) == &member) continue;
      total += at(slot).state.weight;
      ++others;
    }
    const double weight = others > 0 ? total / static_cast<double>(others) : kScale;
    member.state.base = weight;
    member.state.weight = weight;
  }
};

}  // namespace

sim::ChooserFactory brpc_la() { return factory<BrpcLa>(); }

}  // namespace evener::lab::peers
