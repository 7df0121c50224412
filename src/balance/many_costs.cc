#include "balance/many_costs.h"

#include <algorithm>
#include <array>
#include <bit>

#include "balance/sampler.h"

namespace evener {
namespace {

// Four floats fit where two doubles do, and costs within 1/128 are equal anyway.
template <std::size_t kCount>
using Column = std::array<float, kCount>;

// What the costs of some endpoints are made of, term by term.
template <std::size_t kCount>
struct Terms {
  Column<kCount> value;                      // estimate, ns
  Column<kCount> age;                        // since its last sample, ns
  Column<kCount> waited;                     // the ages of all requests without a first byte, ns
  Column<kCount> unit;                       // 1 / (weight x warmup x success)
  std::array<std::int32_t, kCount> waiting;  // requests without a first byte
  std::array<std::int32_t, kCount> load;
};

template <std::size_t kCount>
void gather(const PoolView& pool, Time now, const std::array<std::uint32_t, kCount>& slots,
            Terms<kCount>& terms) noexcept {
  const Slot* const all = pool.slots.data();
  for (std::size_t i = 0; i < kCount; ++i) {
    const Slot& slot = all[slots[i]];
    const std::uint64_t waiting = slot.waiting();
    const std::uint64_t waited = static_cast<std::uint64_t>(now.ns()) * waiting - slot.start_sum;
    terms.value[i] = static_cast<float>(slot.latency.value());
    terms.age[i] = static_cast<float>((now - slot.latency.stamp()).ns());
    terms.waited[i] = static_cast<float>(static_cast<std::int64_t>(waited));
    terms.waiting[i] = static_cast<std::int32_t>(waiting);
    terms.load[i] = static_cast<std::int32_t>(slot.load());
    terms.unit[i] = slot.inverse;
    if (!slot.latency.known()) [[unlikely]] {
      terms.value[i] = static_cast<float>(pool.model.median);
      terms.unit[i] *= static_cast<float>(waiting != 0 ? CostModel::kPendingPenalty : 1);
    }
  }
}

// e^(-z) for 0 <= z <= kOldest, relative error below 1e-5.
constexpr float kOldest = 80;
float exp_negative_below(float z) {
  const float x = z * -1.44269504F;  // log2(e)
  constexpr float kShift = 0x1.8p23F;
  const float shifted = x + kShift;
  const float f = (x - (shifted - kShift)) * 0.69314718F;  // |f| <= 0.3466
  const float series = 1 + f * (1 + f * (0.5F + f * (1.0F / 6 + f * (1.0F / 24))));
  const std::uint32_t whole = std::bit_cast<std::uint32_t>(shifted) + 127;
  return series * std::bit_cast<float>(whole << 23);
}

// In a form that the compiler turns into vector instructions.
template <std::size_t kCount>
void reckon(const CostModel& model, const Terms<kCount>& terms, Column<kCount>& latencies,
            Column<kCount>& costs) noexcept {
  const auto median = static_cast<float>(model.median);
  const auto floor = static_cast<float>(model.floor);
  const auto per_ns = static_cast<float>(model.decay.per_ns());
  for (std::size_t i = 0; i < kCount; ++i) {
    const float above = terms.value[i] > median ? terms.value[i] - median : 0;
    const float below = terms.value[i] < median ? terms.value[i] : median;
    float age = terms.age[i] * per_ns;
    age = age > 0 ? age : 0;
    age = age < kOldest ? age : kOldest;
    float latency = below + above * exp_negative_below(age);
    // When nobody waits, the sum is 0, which is not more.
    const auto waiting = static_cast<float>(terms.waiting[i]);
    const float mean = terms.waited[i] / (waiting > 1 ? waiting : 1);
    latency = mean > latency ? mean : latency;
    latency = latency > floor ? latency : floor;
    latencies[i] = latency;
    costs[i] = latency * static_cast<float>(terms.load[i]) * terms.unit[i];
  }
}

// All are looked at, and the first `count` are told.
template <std::size_t kCount>
std::uint32_t least_of(const PoolView& pool, Time now,
                       const std::array<std::uint32_t, kCount>& slots, std::size_t count,
                       PickTrace& trace) noexcept {
  Terms<kCount> terms;
  Column<kCount> latencies;
  Column<kCount> costs;
  gather(pool, now, slots, terms);
  reckon(pool.model, terms, latencies, costs);
  for (std::size_t i = 0; i < kCount; ++i) {
    trace.slot[i] = slots[i];
    trace.load[i] = static_cast<std::uint32_t>(terms.load[i]);
    trace.latency_ns[i] = static_cast<double>(latencies[i]);
    trace.cost[i] = static_cast<double>(costs[i]);
  }
  trace.count = static_cast<std::uint32_t>(count);
  float least = costs[0];
  for (const float cost : costs) least = cost < least ? cost : least;
  const float limit = least * static_cast<float>(1 / kClearlyLess);
  std::uint32_t best = 0;
  for (std::uint32_t i = kCount; i-- > 0;) best = costs[i] <= limit ? i : best;
  return best;
}

}  // namespace

std::uint32_t least_of_many(const PoolView& pool, Time now, std::span<const std::uint32_t> slots,
                            PickTrace& trace) noexcept {
  constexpr std::size_t kMost = PickTrace::kCandidatesMax;
  constexpr std::size_t kHalf = kMost / 2;
  if (slots.size() <= kHalf) {
    std::array<std::uint32_t, kHalf> some;
    // The first once more changes nothing.
    for (std::size_t i = 0; i < kHalf; ++i) some[i] = slots[i < slots.size() ? i : 0];
    return least_of(pool, now, some, slots.size(), trace);
  }
  std::array<std::uint32_t, kMost> all;
  for (std::size_t i = 0; i < kMost; ++i) all[i] = slots[i < slots.size() ? i : 0];
  return least_of(pool, now, all, slots.size(), trace);
}

}  // namespace evener
