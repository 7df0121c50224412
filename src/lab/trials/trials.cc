#include "lab/trials/trials.h"

#include <algorithm>

#include "lab/trials/samples.h"
#include "lab/trials/trial_policy.h"
#include "sim/balancer_chooser.h"

namespace evener::lab {
namespace {

double latency_ns(const PolicyView& view, std::uint32_t i) {
  return static_cast<double>(view.latency(i).ns());
}

// What peak_ewma does, through the public interface: what the others are compared with.
class Same final : public TrialPolicy {
  std::uint32_t choose(PolicyView& view) noexcept override {
    return least(view, [&](std::uint32_t i) {
      return latency_ns(view, i) * load(view, i) / (view.weight(i) * view.success(i));
    });
  }
};

class NoSuccess final : public TrialPolicy {
  std::uint32_t choose(PolicyView& view) noexcept override {
    return least(view, [&](std::uint32_t i) {
      return latency_ns(view, i) * load(view, i) / view.weight(i);
    });
  }
};

// Of those with the fewest requests by weight, two at random: the faster one.
class FewestThenTwo final : public TrialPolicy {
  std::uint32_t choose(PolicyView& view) noexcept override {
    const auto share = [&](std::uint32_t i) { return load(view, i) / view.weight(i); };
    const std::uint32_t first = least(view, share);
    if (first == kNobody) return first;
    const double fewest = share(first);
    // A second one of the same, at random.
    const std::uint32_t second =
        least(view, [&](std::uint32_t i) { return i != first && share(i) <= fewest ? 0.0 : 1.0; });
    if (second == kNobody || share(second) > fewest) return first;
    const auto cost = [&](std::uint32_t i) { return latency_ns(view, i) / view.success(i); };
    return cost(second) < cost(first) ? second : first;
  }
};

template <typename Policy>
sim::ChooserFactory with() {
  BalancerOptions options;
  options.policy.name = "trial";
  options.custom = [] { return std::make_unique<Policy>(); };
  return sim::balancer_choosers(options);
}

constexpr Trial kTrials[] = {
    {"trial_fewest_then_two", "fewest requests of all exactly, the faster of two of those",
     with<FewestThenTwo>},
    {"trial_no_success", "peak_ewma over all without its success factor", with<NoSuccess>},
    {"trial_same", "peak_ewma over all, as a custom policy: the control", with<Same>},
    {"trial_samples_10", "the estimate remembers at least 10 samples, whatever their age",
     [] { return sample_choosers({.most = 10}); }},
    {"trial_samples_100", "the estimate remembers at least 100 samples, whatever their age",
     [] { return sample_choosers({.most = 100}); }},
    {"trial_samples_100_no_age", "the same, and what is unanswered tells nothing of latency",
     [] { return sample_choosers({.most = 100, .age = false}); }},
    {"trial_samples_100_whole_ms", "the same, in whole milliseconds, as Traefik reckons",
     [] { return sample_choosers({.most = 100, .age = false, .whole_ms = true}); }},
    {"trial_samples_30", "the estimate remembers at least 30 samples, whatever their age",
     [] { return sample_choosers({.most = 30}); }},
};
static_assert(std::ranges::is_sorted(kTrials, {}, &Trial::name));

}  // namespace

std::span<const Trial> trials() { return kTrials; }

const Trial* find_trial(std::string_view name) {
  const auto* found = std::ranges::find(kTrials, name, &Trial::name);
  return found == std::end(kTrials) ? nullptr : found;
}

}  // namespace evener::lab
