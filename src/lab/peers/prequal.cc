// google_prequal: Google's Prequal (NSDI 2024) with the paper's constants, asynchronous mode: 16
// probes of at most 1 s, 3 sent and 1 removed per call, hot above the 2^-0.25 quantile, random
// while the pool has fewer than 2. The pool: probes.h. Facts: peers-clients.md 2.12; theory.md 3.
//
// How probing is modelled. With each call, after the choice, three members drawn without
// replacement are probed. A reply is there at once and says the truth of that moment: the requests
// at the server, whoever sent them (at least this balancer's own: a server that hangs holds what it
// was sent), and the median latency of those of this balancer's last 64 successes there that began
// at about that many (the 5 nearest; none known: 0, so it is tried).
// What that leaves out: probes cost and delay nothing; the server's median would be over all its
// clients; others' requests on the way are not seen. The simulator does not tell whether a server
// could answer a probe, so a probe is lost for a second after an attempt there ended in a time-out
// or a failed connect. No guard against endpoints that fail fast: the paper does not say its own.
// The 64 and the 5 are ours and matter: with 256 and 31 servers of eight slots at load 0.8 answer
// in 11.4 ms instead of 13.1, servers of one slot in 24.1 instead of 21.1. Our readings: the newest
// probe of a member replaces its older one; up to 24 members, where the formula for reuse has no
// solution, a probe may be used 16 times; "hot" is by the quantile over the pool (over the last 64
// replies, also used ones, slow-two-of-four's p99 is four times as long, others' the same).
#include <array>
#include <utility>

#include "lab/peers/draws.h"
#include "lab/peers/peer_chooser.h"
#include "lab/peers/probes.h"
#include "lab/peers/rules.h"
#include "sim/server_bank.h"

namespace evener::lab::peers {
namespace {

constexpr std::size_t kKept = 64;
constexpr std::size_t kNearest = 5;
constexpr Duration kDeaf = Duration::seconds(1);

struct Sample {
  std::uint32_t rif;
  double latency_ns;
  std::uint64_t number;  // of the server's successes
};

struct History {
  std::array<Sample, kKept> samples;
  std::uint64_t count = 0;
  Time deaf_until;

  double median_near(std::uint32_t rif) const {
    std::array<Sample, kKept> near = samples;
    const auto size = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(count, kKept));
    if (size == 0) return 0;
    const auto take = std::min(size, static_cast<std::ptrdiff_t>(kNearest));
    // Of equally near ones the newest: else a few lucky ones would speak for the server for long.
    const auto order = [rif](const Sample& s) {
      return std::pair(s.rif > rif ? s.rif - rif : rif - s.rif, ~s.number);
    };
    std::ranges::partial_sort(near.begin(), near.begin() + take, near.begin() + size, {}, order);
    const auto middle = near.begin() + take / 2;
    std::ranges::nth_element(near.begin(), middle, near.begin() + take, {}, &Sample::latency_ns);
    return middle->latency_ns;
  }
};

class Prequal final : public PeerChooser<History> {
 public:
  explicit Prequal(const sim::ChooserContext& context) : servers_(context.servers) {}

 private:
  std::optional<Pick> pick(const sim::ChoiceRequest& request, Slots open) override {
    forget(request.now);
    const std::uint32_t slot = choose_one(request, open);
    const std::uint32_t rif = rif_of(at(slot));
    pool_.remove_one();
    probe(request);
    return Pick{slot, static_cast<double>(rif)};
  }

  std::uint32_t choose_one(const sim::ChoiceRequest& request, Slots open) {
    if (pool_.all().size() < 2) return draw_one(open, request.rng);
    const std::size_t best = pool_.best();
    const std::uint32_t slot = pool_.all()[best].slot;
    pool_.use(best);
    return is_open(at(slot), request.tried) ? slot : draw_one(open, request.rng);
  }

  void probe(const sim::ChoiceRequest& request) {
    const std::size_t count = std::min(drawn_.size(), static_cast<std::size_t>(Probes::kPerCall));
    for (std::size_t i = 0; i < count; ++i) {
      std::swap(drawn_[i], drawn_[i + request.rng.below(drawn_.size() - i)]);
      const Member<History>& member = at(drawn_[i]);
      if (request.now < member.state.deaf_until) continue;
      const std::uint32_t rif = rif_of(member);
      pool_.add({drawn_[i], rif, member.state.median_near(rif), request.now, uses(request.rng)});
    }
  }

  // A server that hangs holds what it was sent, though the bank does not.
  std::uint32_t rif_of(const Member<History>& member) const {
    return std::max(servers_.in_system(member.server), member.in_flight);
  }

  int uses(Rng& rng) const {
    const auto whole = static_cast<int>(reuse_);
    return whole + (rng.uniform01() < reuse_ - whole ? 1 : 0);
  }

  void ended(Member<History>& member, const sim::Answer& answer, double rif) override {
    History& history = member.state;
    if (answer.timed_out || answer.outcome == Outcome::kConnectFailed) {
      history.deaf_until = answer.now + kDeaf;
    } else if (answer.outcome == Outcome::kSuccess) {
      const std::uint64_t number = history.count++;
      history.samples[number % kKept] = {static_cast<std::uint32_t>(rif),
                                         static_cast<double>(answer.latency().ns()), number};
    }
  }
  void changed(Time now) override {
    forget(now);
    drawn_.assign(present().begin(), present().end());
    reuse_ = present().empty() ? 1 : Probes::reuse(present().size());
  }
  void forget(Time now) {
    pool_.forget(now, [this](std::uint32_t slot) { return !at(slot).present; });
  }

  const sim::ServerBank& servers_;
  Probes pool_;
  double reuse_ = 1;
  std::vector<std::uint32_t> drawn_;  // the members, in any order
};

}  // namespace

sim::ChooserFactory prequal() { return factory<Prequal>(); }

}  // namespace evener::lab::peers
