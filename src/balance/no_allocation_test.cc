// A pick and its finish allocate nothing, whatever the policy: every operator new is counted.
#include <evener/balancer.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <new>

#include "balance/conformance.h"
#include "balance/slot.h"

namespace {

std::size_t allocations = 0;

void* counted(void* memory) {
  ++allocations;
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(std::aligned_alloc(static_cast<std::size_t>(alignment), size));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace evener {
namespace {

// Everything that may happen on the way: retries, reports, first bytes, every outcome, ejection,
// limits, warm-up, another policy as the shadow.
class Driver {
 public:
  Driver(const PolicySettings& policy, bool weighted) : balancer_(options_for(policy)) {
    std::vector<Endpoint> endpoints = conformance::make_endpoints(kEndpoints);
    for (std::size_t i = 0; weighted && i < kEndpoints; ++i) {
      endpoints[i].weight = 1 + static_cast<double>(i % 3);
    }
    balancer_.apply(EndpointSet::make(1, {endpoints.begin(), endpoints.end() - 4}).value(), now_);
    balancer_.tick(now_);
    now_ = now_ + Duration::seconds(100);
    balancer_.apply(EndpointSet::make(2, endpoints).value(), now_);
  }

  // How often operator new was called over so many requests.
  std::size_t run(int requests) {
    const std::size_t before = allocations;
    for (int i = 0; i < requests; ++i) request();
    return allocations - before;
  }

 private:
  static constexpr std::size_t kEndpoints = 40;

  static BalancerOptions options_for(const PolicySettings& policy) {
    BalancerOptions options{.policy = policy, .seed = 3};
    options.ejection.enabled = true;
    options.ejection.base = Duration::milliseconds(20);
    options.warm_up.window = Duration::milliseconds(500);
    options.max_in_flight = 6;
    options.shadow = PolicySettings{.name = policy.name == "lsq" ? "idle_first" : "lsq"};
    return options;
  }

  void request() {
    now_ = now_ + Duration::microseconds(static_cast<std::int64_t>(rng_.below(300)));
    if (rng_.below(16) == 0) balancer_.tick(now_);
    Ticket& ticket = out_[rng_.below(out_.size())];
    if (ticket) end(ticket);
    const std::array<EndpointId, 2> tried = {EndpointId{rng_.below(kEndpoints)}, EndpointId{99}};
    const bool retry = rng_.below(8) == 0;
    auto picked = balancer_.pick({.now = now_,
                                  .tried = std::span(tried).first(retry ? 2 : 0),
                                  .key = Key{rng_.u64(), static_cast<std::uint32_t>(rng_.u64())}});
    if (picked) ticket = std::move(*picked);
  }

  void end(Ticket& ticket) {
    const EndpointReport report{.utilization = rng_.uniform01(),
                                .in_flight = static_cast<std::uint32_t>(rng_.below(9)),
                                .latency = Duration::milliseconds(1)};
    if (rng_.below(2) == 0) ticket.first_byte(now_);
    if (rng_.below(4) == 0) ticket.report(report, now_);
    if (rng_.below(4) == 0) balancer_.report(EndpointId{rng_.below(kEndpoints)}, report, now_);
    const bool fine = rng_.below(4) != 0;
    ticket.finish(fine ? Outcome::kSuccess : static_cast<Outcome>(rng_.below(kOutcomes)), now_);
  }

  Balancer balancer_;
  Rng rng_{11};
  Time now_;
  std::array<Ticket, 64> out_;
};

class EveryPolicy : public ::testing::TestWithParam<PolicySettings> {};

TEST_P(EveryPolicy, AllocatesNothingPerPickAndFinish) {
  for (const bool weighted : {false, true}) {
    Driver driver(GetParam(), weighted);
    EXPECT_EQ(driver.run(30'000), 0U) << GetParam().name << " " << weighted;
  }
}

std::vector<PolicySettings> every_policy() {
  std::vector<PolicySettings> all;
  for (const PolicyInfo& info : policy_catalog()) {
    PolicySettings settings;
    settings.name = info.name;
    settings.table_size = 5003;
    all.push_back(settings);
  }
  all.push_back({.choices = 8});
  all.push_back({.choices = kChoicesAll});
  all.push_back({.name = "p2c", .choices = 40, .beta = 0.5});
  all.push_back({.name = "p2c", .choices = 3, .replacement = true});
  all.push_back({.name = "bounded_load", .over = KeyedOver::kRendezvous});
  return all;
}

INSTANTIATE_TEST_SUITE_P(NoAllocation, EveryPolicy, ::testing::ValuesIn(every_policy()),
                         [](const auto& info) {
                           return info.param.name + "_" + std::to_string(info.index);
                         });

TEST(NoAllocation, TheCounterCounts) {
  const std::size_t before = allocations;
  const auto some = std::make_unique<Slot>();
  EXPECT_EQ(some->in_flight, 0U);
  EXPECT_GT(allocations, before);
}

}  // namespace
}  // namespace evener
