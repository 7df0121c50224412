#include <evener/balancer.h>
#include <evener/custom_policy.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "balance/conformance.h"

namespace evener {
namespace {

using conformance::make_endpoint;
using conformance::make_endpoints;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Time at_ms(std::int64_t ms) { return Time() + Duration::milliseconds(ms); }

EndpointSetPtr set_of(std::vector<Endpoint> endpoints) {
  return EndpointSet::make(1, std::move(endpoints)).value();
}

// Of `kChoices`, the one of least load per weight and success.
template <std::size_t kChoices>
class LeastOf final : public CustomPolicy {
 public:
  std::uint32_t pick(PolicyView& view) noexcept override {
    std::array<std::uint32_t, kChoices> room;
    std::uint32_t best = kNobody;
    double best_cost = 0;
    for (const std::uint32_t i : view.draw(room)) {
      const double load = view.in_flight(i) + view.elsewhere(i) + 1;
      const double cost = load / (view.weight(i) * view.success(i));
      view.compared(i, cost);
      if (view.forgotten(i)) return i;
      if (best != kNobody && cost >= best_cost) continue;
      best = i;
      best_cost = cost;
    }
    return best;
  }
};

// Runs a function at every pick.
class Calls final : public CustomPolicy {
 public:
  using Function = std::function<std::uint32_t(PolicyView&)>;
  explicit Calls(Function function) : function_(std::move(function)) {}
  std::uint32_t pick(PolicyView& view) noexcept override { return function_(view); }

 private:
  Function function_;
};

template <typename Policy>
BalancerOptions with() {
  BalancerOptions options;
  options.policy.name = "mine";
  options.custom = [] { return std::make_unique<Policy>(); };
  return options;
}

BalancerOptions calling(Calls::Function function) {
  BalancerOptions options;
  options.policy.name = "mine";
  options.custom = [function] { return std::make_unique<Calls>(function); };
  return options;
}

TEST(CustomPolicy, PassesTheConformanceSuite) {
  const std::uint64_t seed = conformance::seed_from_environment();
  conformance::Entry two = conformance::balancer_entry("least of two", with<LeastOf<2>>());
  two.by_load = true;
  two.by_success = true;
  two.pairs = true;
  conformance::Entry three = conformance::balancer_entry("least of three", with<LeastOf<3>>());
  three.by_load = true;
  three.by_success = true;
  for (std::uint64_t s = seed; s < seed + 3; ++s) {
    EXPECT_THAT(check_all(two, s), IsEmpty());
    EXPECT_THAT(check_all(three, s), IsEmpty());
  }
}

TEST(CustomPolicy, SeesMembersByNumberAndWhatMayBePicked) {
  std::vector<std::string> seen;
  BalancerOptions options = calling([&](PolicyView& view) {
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      if (view.usable(i)) seen.push_back(view.endpoint(i).name);
    }
    EXPECT_EQ(view.usable_count(), seen.size());
    EXPECT_EQ(view.now(), at_ms(7));
    EXPECT_EQ(view.key(), make_key("k"));
    EXPECT_DOUBLE_EQ(view.weight(1), 3);
    EXPECT_EQ(view.latency(0), Duration::milliseconds(30)) << "the prior";
    EXPECT_EQ(view.in_flight(0), 1U) << "the first pick";
    return 3U;
  });
  Balancer balancer(options);
  std::vector<Endpoint> endpoints = make_endpoints(6);
  endpoints[1].up = false;
  endpoints[2].weight = 3;
  balancer.apply(set_of(endpoints), at_ms(0));
  std::vector<EndpointId> all_but_the_first;
  for (std::uint64_t id = 1; id < 6; ++id) all_but_the_first.push_back(EndpointId{id});
  const Ticket first = balancer.pick({at_ms(7), all_but_the_first}).value();
  EXPECT_THAT(seen, IsEmpty()) << "the only one needs no choice";
  const std::vector<EndpointId> tried = {EndpointId{3}};
  const Ticket second = balancer.pick({at_ms(7), tried, make_key("k")}).value();
  EXPECT_THAT(seen, ::testing::ElementsAre("e0", "e2", "e4", "e5"));
  EXPECT_EQ(second.id(), EndpointId{4});
}

TEST(CustomPolicy, DrawsDistinctUsableMembersAndFillsNoMore) {
  BalancerOptions options = calling([](PolicyView& view) {
    std::array<std::uint32_t, 100> room;
    EXPECT_THAT(view.draw({}), IsEmpty());
    const auto few = view.draw(std::span(room).first(3));
    EXPECT_THAT(std::set(few.begin(), few.end()), SizeIs(3));
    const auto many = view.draw(room);
    EXPECT_THAT(std::set(many.begin(), many.end()), SizeIs(kChoicesMax));
    for (const std::uint32_t i : many) EXPECT_TRUE(view.usable(i));
    return many[0];
  });
  Balancer balancer(options);
  balancer.apply(set_of(make_endpoints(80)), at_ms(0));
  const std::vector<EndpointId> tried = {EndpointId{3}};
  for (int i = 0; i < 200; ++i) EXPECT_NE(balancer.pick({at_ms(1), tried})->id(), tried[0]);
}

TEST(CustomPolicy, AWrongAnswerIsDrawnAnew) {
  for (const std::uint32_t answer : {0U, 3U, 99U, CustomPolicy::kNobody}) {
    Balancer balancer(calling([answer](PolicyView&) { return answer; }));
    balancer.apply(set_of(make_endpoints(3)), at_ms(0));
    std::set<EndpointId> got;
    const std::vector<EndpointId> tried = {EndpointId{0}};
    for (int i = 0; i < 100; ++i) got.insert(balancer.pick({at_ms(1), tried})->id());
    EXPECT_EQ(got, (std::set{EndpointId{1}, EndpointId{2}})) << answer;
  }
}

TEST(CustomPolicy, IsRebuiltWithTheMembersInTheSetsOrder) {
  static std::vector<std::string> names;
  class Watches final : public CustomPolicy {
   public:
    void rebuild(std::span<const Endpoint* const> members) override {
      names.clear();
      for (const Endpoint* member : members) names.push_back(member->name);
    }
    std::uint32_t pick(PolicyView&) noexcept override { return 0; }
  };
  Balancer balancer(with<Watches>());
  balancer.apply(set_of({make_endpoint(5), make_endpoint(3), make_endpoint(4)}), at_ms(0));
  EXPECT_THAT(names, ::testing::ElementsAre("e5", "e3", "e4"));
  std::vector<Endpoint> next = {make_endpoint(9), make_endpoint(4), make_endpoint(5)};
  next[1].draining = true;
  balancer.apply(set_of(next), at_ms(0));
  EXPECT_THAT(names, ::testing::ElementsAre("e9", "e5"));
  EXPECT_EQ(balancer.pick({at_ms(0)})->id(), EndpointId{9});
}

TEST(CustomPolicy, IsExplainedUnderItsNameWithItsCosts) {
  Balancer balancer(with<LeastOf<2>>());
  balancer.apply(set_of(make_endpoints(3)), at_ms(0));
  const Ticket ticket = balancer.pick({at_ms(1)}).value();
  const Explanation explanation = balancer.explain();
  EXPECT_EQ(explanation.policy, "mine");
  EXPECT_TRUE(explanation.custom);
  ASSERT_THAT(explanation.candidates, SizeIs(2));
  EXPECT_DOUBLE_EQ(explanation.candidates[0].cost, 1);
  EXPECT_TRUE(explanation.candidates[0].chosen);
  EXPECT_EQ(explanation.candidates[0].id, ticket.id());
  EXPECT_THAT(to_string(explanation), HasSubstr("cost 1; 30.000 ms x (0 in flight"));
}

TEST(CustomPolicy, OptionsAreCheckedAsForAnyOther) {
  BalancerOptions options = with<LeastOf<2>>();
  EXPECT_TRUE(check_options(options));
  options.policy.tau = Duration();
  EXPECT_THAT(check_options(options).error().message, HasSubstr("tau"));
  options = with<LeastOf<2>>();
  options.policy.name = "p2c";
  EXPECT_THAT(check_options(options).error().message, HasSubstr("a name of its own"));
}

TEST(CustomPolicy, WorksBesideAShadowAndInBatches) {
  BalancerOptions options = with<LeastOf<2>>();
  options.shadow = PolicySettings{.name = "p2c"};
  Balancer balancer(options);
  balancer.apply(set_of(make_endpoints(10)), at_ms(0));
  std::array<Ticket, 5> tickets;
  EXPECT_EQ(balancer.pick_batch({at_ms(1)}, 2, tickets).value(), 5U);
  for (int i = 0; i < 50; ++i) (void)balancer.pick({at_ms(1)})->id();
  EXPECT_EQ(balancer.shadow().picks, 51U);
}

}  // namespace
}  // namespace evener
