// A policy of one's own: of three drawn at random, the one that should answer soonest, counting
// what it has to do already.
#include <evener/balancer.h>
#include <evener/custom_policy.h>

#include <array>
#include <cstdio>

namespace {

class SoonestOfThree final : public evener::CustomPolicy {
 public:
  std::uint32_t pick(evener::PolicyView& view) noexcept override {
    std::array<std::uint32_t, 3> room;
    std::uint32_t best = kNobody;
    double best_cost = 0;
    for (const std::uint32_t i : view.draw(room)) {
      const double queue = view.in_flight(i) + view.elsewhere(i) + 1;
      const double cost = view.latency(i).to_seconds() * queue / (view.weight(i) * view.success(i));
      view.compared(i, cost);           // for explain()
      if (view.forgotten(i)) return i;  // is it well again?
      if (best != kNobody && cost >= best_cost) continue;
      best = i;
      best_cost = cost;
    }
    return best;
  }
};

}  // namespace

int main() {
  using namespace evener;
  BalancerOptions options;
  options.policy.name = "soonest_of_three";
  options.custom = [] { return std::make_unique<SoonestOfThree>(); };
  Balancer balancer(options);
  std::vector<Endpoint> endpoints;
  for (const char* name : {"near", "far", "farther", "slow"}) {
    endpoints.push_back({.id = endpoint_id(name), .name = name, .labels = {}});
  }
  balancer.apply(EndpointSet::make(1, endpoints).value(), Time());

  std::array<int, 4> taken{};  // ms to answer, the order as above
  constexpr std::array<int, 4> kTakes = {5, 6, 7, 50};
  for (int i = 0; i < 4000; ++i) {
    const Time now = Time() + Duration::milliseconds(60 * i);
    balancer.tick(now);
    Ticket ticket = balancer.pick({.now = now}).value();
    std::size_t which = 0;
    while (endpoints[which].id != ticket.id()) ++which;
    ++taken[which];
    ticket.finish(Outcome::kSuccess, now + Duration::milliseconds(kTakes[which]));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    std::printf("%-8s %5.1f %%\n", endpoints[i].name.c_str(), taken[i] / 40.0);
  }
  std::printf("%s", to_string(balancer.explain()).c_str());
}
