// traefik_leasttime: Traefik's `leasttime` (v3.7 line, July 2026).
//
//     score = average x (1 + in flight) / weight       the least of all
//     average of the last 100 samples, in whole milliseconds, whatever their age
//
// Equals share by an earliest-deadline-first schedule over their weights. Without a sample the
// score is 0, so a new one wins everything until its first byte; one with unlucky samples is never
// sampled again (traefik#12306). Error responses are timed like successes. Facts:
// peers-proxies.md 2.4.
//
// Answers that never came (time-out, failed connect) are no samples, having no first byte. Left
// out: passive health checks (off by default), the loss of all state at each dynamic configuration.
#include <array>

#include "lab/peers/draws.h"
#include "lab/peers/peer_chooser.h"
#include "lab/peers/rules.h"

namespace evener::lab::peers {
namespace {

constexpr std::size_t kSamples = 100;

struct Window {
  std::array<std::int64_t, kSamples> ms{};
  std::uint64_t count = 0;
  std::int64_t sum = 0;
  double deadline = 0;

  double average() const {
    return count == 0 ? 0
                      : static_cast<double>(sum) / static_cast<double>(std::min(count, kSamples));
  }
};

class TraefikLeasttime final : public PeerChooser<Window> {
 public:
  explicit TraefikLeasttime(const sim::ChooserContext&) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest&, Slots open) override {
    std::uint32_t best = open[0];
    double least = score(at(best));
    for (const std::uint32_t slot : open.subspan(1)) {
      const double mine = score(at(slot));
      if (mine > least) continue;
      if (mine == least && at(slot).state.deadline >= at(best).state.deadline) continue;
      best = slot;
      least = mine;
    }
    Member<Window>& chosen = at(best);
    time_ = std::max(time_, chosen.state.deadline);
    chosen.state.deadline = time_ + 1 / chosen.weight;
    return Pick{best};
  }

  void ended(Member<Window>& member, const sim::Answer& answer, double) override {
    if (answer.timed_out || answer.outcome == Outcome::kConnectFailed) return;
    Window& window = member.state;
    std::int64_t& place = window.ms[window.count % kSamples];
    window.sum += answer.latency().ms() - place;
    place = answer.latency().ms();
    ++window.count;
  }
  void joined(Member<Window>& member, Time) override {
    member.state.deadline = time_ + 1 / member.weight;
  }

  static double score(const Member<Window>& member) {
    return member.state.average() * (1 + member.in_flight) / member.weight;
  }

  double time_ = 0;
};

}  // namespace

sim::ChooserFactory traefik_leasttime() { return factory<TraefikLeasttime>(); }

}  // namespace evener::lab::peers
