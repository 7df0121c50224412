// least_request keeps its order through warm-up, bars and new sets: against a plain search.
#include "balance/least_load.h"

#include <evener/balancer.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "balance/conformance.h"

namespace evener {
namespace {

class Checked {
 public:
  Checked(std::uint64_t seed, bool weighted)
      : rng_(seed), weighted_(weighted), endpoints_(conformance::make_endpoints(15)) {
    BalancerOptions options{.policy = {.name = "least_request"}, .seed = seed};
    options.warm_up.window = Duration::milliseconds(200);
    options.max_in_flight = 6;
    options.ejection = {.enabled = true, .base = Duration::milliseconds(50)};
    balancer_.emplace(options);
    apply();
  }

  void step() {
    now_ = now_ + Duration::milliseconds(1);
    balancer_->tick(now_);
    const std::uint64_t die = rng_.below(200);
    if (die == 0) apply();
    if (die < 100) {
      pick();
    } else if (!out_.empty()) {
      std::swap(out_[rng_.below(out_.size())], out_.back());
      const bool bad = out_.back().id() == EndpointId{3} && rng_.below(2) == 0;
      out_.back().finish(bad ? Outcome::kFailure : Outcome::kSuccess, now_);
      out_.pop_back();
    }
  }

 private:
  void apply() {
    for (Endpoint& endpoint : endpoints_) {
      endpoint.draining = rng_.below(5) == 0;
      if (weighted_) endpoint.weight = 1 + static_cast<double>(rng_.below(3));
    }
    balancer_->apply(EndpointSet::make(++version_, endpoints_).value(), now_);
  }

  void pick() {
    std::vector<EndpointStatus> all;
    balancer_->snapshot(now_, all);
    const bool compares = balancer_->eligible() > 1;
    double least = 1e300;
    for (const EndpointStatus& status : all) {
      if (status.eligible) least = std::min(least, status.cost);
    }
    auto ticket = balancer_->pick({.now = now_, .tried = {}, .key = {}});
    if (!ticket) return;
    const Explanation why = balancer_->explain();
    const auto chosen = std::ranges::find(why.candidates, true, &Explanation::Candidate::chosen);
    ASSERT_NE(chosen, why.candidates.end());
    if (compares && chosen->note.empty()) ASSERT_NEAR(chosen->cost / least, 1, 1e-6);
    out_.push_back(std::move(*ticket));
  }

  Rng rng_;
  bool weighted_;
  std::vector<Endpoint> endpoints_;
  std::optional<Balancer> balancer_;
  std::vector<Ticket> out_;
  std::uint64_t version_ = 0;
  Time now_ = Time() + Duration::seconds(10);
};

TEST(LeastLoad, IsTheLeastOfAllThroughWarmUpBarsAndNewSets) {
  const std::uint64_t seed = conformance::seed_from_environment();
  for (const bool weighted : {false, true}) {
    Checked checked(seed, weighted);
    for (int i = 0; i < 20'000 && !testing::Test::HasFatalFailure(); ++i) checked.step();
    EXPECT_FALSE(testing::Test::HasFatalFailure()) << weighted << " EV_SEED=" << seed;
  }
}

}  // namespace
}  // namespace evener
