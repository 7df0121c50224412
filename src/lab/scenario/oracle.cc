#include "lab/scenario/oracle.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "sim/server_bank.h"

namespace evener::lab {
namespace {

class Oracle final : public sim::Chooser {
 public:
  explicit Oracle(const sim::ServerBank& servers)
      : servers_(servers), present_(servers.size()), left_alone_until_(servers.size()) {}

  std::optional<sim::Choice> choose(const sim::ChoiceRequest& request) override {
    const auto best = least(request, true);
    return best ? best : least(request, false);
  }

  void done(const sim::Choice& choice, const sim::Answer& answer) override {
    if (answer.outcome == Outcome::kSuccess) return;
    const Duration apart = std::max(answer.retry_after, Duration::seconds(1));
    left_alone_until_[choice.server] = answer.now + apart;
  }

  void apply(const EndpointSetPtr& set, Time) override {
    present_.assign(present_.size(), false);
    for (const Endpoint& endpoint : set->endpoints()) {
      present_[static_cast<std::size_t>(endpoint.id)] = endpoint.up && !endpoint.draining;
    }
  }

 private:
  // Equals at random: the k-th replaces the choice with probability 1 / k.
  std::optional<sim::Choice> least(const sim::ChoiceRequest& request, bool careful) const {
    std::optional<sim::Choice> best;
    double least = std::numeric_limits<double>::infinity();
    std::uint64_t equals = 0;
    for (std::uint32_t s = 0; s < servers_.size(); ++s) {
      if (!present_[s] || std::ranges::find(request.tried, s) != request.tried.end()) continue;
      if (careful && request.now < left_alone_until_[s]) continue;
      const double time = time_at(s, request.work);
      if (time > least) continue;
      equals = time == least ? equals + 1 : 1;
      least = time;
      if (equals == 1 || request.rng.below(equals) == 0) best = sim::Choice{s};
    }
    return best;
  }

  double time_at(std::uint32_t server, double work) const {
    constexpr double kStopped = 1e-9;
    const double speed = std::max(servers_.speed(server), kStopped);
    const std::uint32_t slots = servers_.spec(server).slots;
    const bool waits = servers_.in_system(server) >= slots;
    const double wait = waits ? servers_.work_left(server) / slots : 0;
    return (wait + work) / speed;
  }

  const sim::ServerBank& servers_;
  std::vector<bool> present_;
  std::vector<Time> left_alone_until_;
};

}  // namespace

sim::ChooserFactory oracle_choosers() {
  return
      [](const sim::ChooserContext& context) { return std::make_unique<Oracle>(context.servers); };
}

}  // namespace evener::lab
