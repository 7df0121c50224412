// Per-request calls of the state classes must not allocate: every operator new is counted.
#include <evener/hedge.h>
#include <evener/retry_budget.h>
#include <evener/wait_queue.h>
#include <evener/zone.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <deque>
#include <new>

#include "balance/state/ejector.h"
#include "balance/state/pushback.h"
#include "balance/state/warm_up.h"

namespace {

std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace evener {
namespace {

constexpr std::uint32_t kSlots = 200;

TEST(NoAllocation, BySlot) {
  Rng rng(1);
  WarmUp warm_up({});
  Ejector ejector({.failure_requests = 1, .slow_multiple = 2, .base = Duration::seconds(1)});
  Pushback pushback({});
  warm_up.resize(kSlots);
  ejector.resize(kSlots);
  pushback.resize(kSlots);
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) ejector.join(slot), pushback.join(slot);
  const std::size_t before = allocations;
  Time now;
  for (int i = 0; i < 20'000; ++i) {
    now = now + Duration::milliseconds(1);
    const auto slot = static_cast<std::uint32_t>(rng.below(kSlots));
    rng.below(2) == 0 ? warm_up.enter(slot, now) : warm_up.leave(slot);
    warm_up.pass(now, 64, [](std::uint32_t, double) {});
    if (ejector.state(slot) == Ejector::State::kHalfOpen) ejector.begin_trial(slot, now);
    ejector.first_byte(slot, now);
    ejector.finished(slot, now, rng.below(3) == 0 ? Outcome::kSuccess : Outcome::kFailure,
                     Duration::milliseconds(static_cast<std::int64_t>(rng.below(99))), now);
    ejector.pass(now, Duration::milliseconds(9), rng);
    if (rng.below(100) == 0) ejector.reset(slot), ejector.join(slot);
    pushback.ask(slot, Duration::seconds(static_cast<std::int64_t>(rng.below(9))), now);
    pushback.refused(slot, now);
    pushback.pass(now);
  }
  EXPECT_GT(ejector.ejected(), 10U);
  EXPECT_EQ(allocations, before);
}

TEST(NoAllocation, ByPool) {
  Rng rng(1);
  RetryBudget budget({});
  HedgeDelay hedge({});
  WaitQueue queue({});
  std::deque<WaitQueue::Node> nodes(500);
  const std::array<ZoneLoad, 2> zones = {ZoneLoad{2, 2, 900}, ZoneLoad{3, 3, 1}};
  const std::size_t before = allocations;
  Time now;
  for (int i = 0; i < 20'000; ++i) {
    now = now + Duration::milliseconds(1);
    budget.request(now);
    budget.take(now);
    hedge.record(Duration::microseconds(static_cast<std::int64_t>(rng.below(99'999))), now);
    hedge.delay(now);
    WaitQueue::Node& node = nodes[rng.below(nodes.size())];
    node.waiting() ? node.cancel() : static_cast<void>(queue.push(node, now));
    queue.overdue(now);
    if (rng.below(4) == 0) queue.pop(now);
    choose_zone(zones, 0, {}, rng);
  }
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace evener
