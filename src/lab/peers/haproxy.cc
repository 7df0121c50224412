// HAProxy's rules (3.5-dev5, August 2026).
//
// haproxy_random2: `balance random(2)`, the default since 3.3. Each draw falls on a server in
// proportion to its weight, with replacement; the lower served / weight is kept; a tie goes to the
// one with fewer requests in the last second, and then to the first drawn.
// haproxy_leastconn: the lowest served / weight of all; in turn among those of the same load.
// Facts: peers-proxies.md 1a, 2.2; in turn: doc/configuration.txt, `balance leastconn`.
//
// No health checks and no `observe` (off by default); maxconn is infinite by default, so nothing
// queues. The second is counted exactly where HAProxy slides over two periods. Left out: weights in
// 256 steps, and the unevenness of its hash ring.
#include <vector>

#include "lab/peers/draws.h"
#include "lab/peers/peer_chooser.h"
#include "lab/peers/rules.h"

namespace evener::lab::peers {
namespace {

constexpr Duration kRateWindow = Duration::seconds(1);

struct Recent {
  std::vector<Time> picks = {};
  std::size_t from = 0;  // older than a second before

  std::size_t rate(Time now) {
    while (from < picks.size() && now - picks[from] > kRateWindow) ++from;
    if (from > 64 && from > picks.size() / 2) {
      picks.erase(picks.begin(), picks.begin() + static_cast<std::ptrdiff_t>(from));
      from = 0;
    }
    return picks.size() - from;
  }
};

class HaproxyRandom2 final : public PeerChooser<Recent> {
 public:
  explicit HaproxyRandom2(const sim::ChooserContext&) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots open) override {
    const std::uint32_t first = draw(open, request.rng);
    const std::uint32_t second = draw(open, request.rng);
    const std::uint32_t chosen = better(first, second, request.now) ? second : first;
    at(chosen).state.picks.push_back(request.now);
    at(chosen).state.rate(request.now);
    return Pick{chosen};
  }

  std::uint32_t draw(Slots open, Rng& rng) const {
    if (!weighted_) return draw_one(open, rng);
    return draw_weighted(open, rng, [this](std::uint32_t slot) { return at(slot).weight; });
  }
  // Whether the second is.
  bool better(std::uint32_t first, std::uint32_t second, Time now) {
    Member<Recent>& a = at(first);
    Member<Recent>& b = at(second);
    const double left = a.in_flight * b.weight;
    const double right = b.in_flight * a.weight;
    if (left != right) return right < left;
    return first != second && b.state.rate(now) < a.state.rate(now);
  }
  void changed(Time) override { weighted_ = weights_differ(); }

  bool weighted_ = false;
};

struct Turn {
  std::uint64_t last = 0;
};

class HaproxyLeastconn final : public PeerChooser<Turn> {
 public:
  explicit HaproxyLeastconn(const sim::ChooserContext&) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest&, Slots open) override {
    std::uint32_t best = open[0];
    for (const std::uint32_t slot : open.subspan(1)) {
      const double mine = at(slot).in_flight * at(best).weight;
      const double least = at(best).in_flight * at(slot).weight;
      if (mine < least || (mine == least && at(slot).state.last < at(best).state.last)) best = slot;
    }
    at(best).state.last = ++turn_;
    return Pick{best};
  }

  std::uint64_t turn_ = 0;
};

}  // namespace

sim::ChooserFactory haproxy_leastconn() { return factory<HaproxyLeastconn>(); }
sim::ChooserFactory haproxy_random2() { return factory<HaproxyRandom2>(); }

}  // namespace evener::lab::peers
