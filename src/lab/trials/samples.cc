// Trials of estimators that remember by samples as well as by time.
#include "lab/trials/samples.h"

#include <cmath>

#include "base/check.h"
#include "lab/trials/trial_policy.h"
#include "sim/balancer_chooser.h"

namespace evener::lab {
namespace {

constexpr double kPrior_ns = 30e6;
constexpr double kTau_ns = 10e9;

// What one balancer remembers of one server.
struct Memory {
  double mean_ns = kPrior_ns;
  std::uint64_t samples = 0;
  Time last;
  std::uint32_t waiting = 0;
  double starts_ns = 0;  // sum over those that wait

  void sample(double ns, Time now, std::uint64_t most) {
    ++samples;
    const auto dt = static_cast<double>((now - last).ns());
    last = now;
    // By time a sample after a long silence is all there is to know; by samples it is one of many.
    const double by_time = samples == 1 ? 1 : 1 - std::exp(-dt / kTau_ns);
    const double by_samples = 1 / static_cast<double>(std::min(samples, most));
    mean_ns += std::min(by_time, by_samples) * (ns - mean_ns);
  }
  double latency(Time now, bool age) const {
    if (waiting == 0 || !age) return mean_ns;
    const auto here = static_cast<double>((now - Time()).ns());
    return std::max(mean_ns, here - starts_ns / waiting);
  }
};
using Memories = std::vector<Memory>;

class SamplesPolicy final : public TrialPolicy {
 public:
  SamplesPolicy(const SampleRule& rule, std::shared_ptr<const Memories> memories)
      : age_(rule.age), memories_(std::move(memories)) {}

 private:
  std::uint32_t choose(PolicyView& view) noexcept override {
    return least(view, [&](std::uint32_t i) {
      const Memory& memory = (*memories_)[id(i)];
      const double worth = view.weight(i) * view.success(i);
      // One probe at a time of whom nothing is known.
      const double unknown = memory.samples == 0 && view.in_flight(i) > 0 ? 1e6 : 1;
      return memory.latency(view.now(), age_) * load(view, i) / worth * unknown;
    });
  }

  bool age_;
  std::shared_ptr<const Memories> memories_;
};

class SamplesChooser final : public sim::Chooser {
 public:
  SamplesChooser(const sim::ChooserContext& context, const SampleRule& rule)
      : rule_(rule),
        memories_(std::make_shared<Memories>()),
        inner_(options(context, rule, memories_)) {}

  std::optional<sim::Choice> choose(const sim::ChoiceRequest& request) override {
    const auto choice = inner_.choose(request);
    if (choice) {
      Memory& memory = (*memories_)[choice->server];
      ++memory.waiting;
      memory.starts_ns += start_ns(request.now);
    }
    return choice;
  }
  void done(const sim::Choice& choice, const sim::Answer& answer) override {
    Memory& memory = (*memories_)[choice.server];
    EV_CHECK(memory.waiting > 0, "an answer for each choice");
    --memory.waiting;
    memory.starts_ns = memory.waiting == 0 ? 0 : memory.starts_ns - start_ns(answer.sent);
    const auto ns = rule_.whole_ms ? static_cast<double>(answer.latency().ms()) * 1e6
                                   : static_cast<double>(answer.latency().ns());
    // Only successes may lower it, as with ours.
    const bool counts = answer.outcome == Outcome::kSuccess ||
                        (answer.outcome == Outcome::kFailure && ns > memory.mean_ns);
    if (counts) memory.sample(ns, answer.now, rule_.most);
    inner_.done(choice, answer);
  }
  void apply(const EndpointSetPtr& set, Time now) override {
    for (const Endpoint& endpoint : set->endpoints()) {
      const auto server = static_cast<std::size_t>(endpoint.id);
      if (server >= memories_->size()) memories_->resize(server + 1);
    }
    inner_.apply(set, now);
  }
  void tick(Time now) override { inner_.tick(now); }
  std::optional<std::uint64_t> in_flight() const override { return inner_.in_flight(); }

 private:
  static double start_ns(Time at) { return static_cast<double>((at - Time()).ns()); }
  static BalancerOptions options(const sim::ChooserContext& context, const SampleRule& rule,
                                 std::shared_ptr<const Memories> memories) {
    BalancerOptions out;
    out.policy.name = "samples";
    out.seed = context.seed;
    out.worker = context.balancer;
    out.custom = [rule, memories] { return std::make_unique<SamplesPolicy>(rule, memories); };
    return out;
  }

  SampleRule rule_;
  std::shared_ptr<Memories> memories_;
  sim::BalancerChooser inner_;
};

}  // namespace

sim::ChooserFactory sample_choosers(const SampleRule& rule) {
  return [rule](const sim::ChooserContext& context) {
    return std::make_unique<SamplesChooser>(context, rule);
  };
}

}  // namespace evener::lab
