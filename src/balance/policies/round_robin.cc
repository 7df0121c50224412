// round_robin: smooth and weighted. Every endpoint has its k-th turn at virtual time k / weight;
// turns are taken in order of time, equal times first in, first out. So over a full cycle counts
// match weights exactly, the turns of a heavy endpoint are spread out, and equal weights alternate.
// Where the rotation starts is drawn at random per balancer, in time and among equals, so that
// workers do not all begin with the same endpoint. O(log n).
//
// Turn numbers are integers, so times do not drift. A rebuild keeps the turns of endpoints whose
// weight is unchanged. A tried endpoint's turn is used up.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "balance/policies/policies.h"
#include "balance/pool_view.h"

namespace evener {
namespace {

class RoundRobin final : public Policy {
 public:
  void rebuild(const PoolView& pool, Rng& rng) override {
    if (pool.eligible.empty()) {
      heap_.clear();
      return;
    }
    if (!started_) start(pool, rng);
    turns_.resize(pool.slots.size());
    heap_.clear();
    const std::size_t n = pool.eligible.size();
    const std::size_t offset = rng.below(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t slot = pool.eligible[(i + offset) % n];
      heap_.push_back(turn_of(slot, pool.weights[slot]));
    }
    std::ranges::make_heap(heap_, later);
  }

  std::uint32_t pick(const PoolView&, PickContext& context) noexcept override {
    constexpr int kLooks = 64;
    for (int look = 0; look < kLooks; ++look) {
      const std::uint32_t slot = heap_.front().slot;
      advance();
      if (!context.tried(slot)) return slot;
    }
    return kNoSlot;
  }

 private:
  struct Item {
    double time;
    std::uint64_t order;  // of entry, among equal times
    std::uint32_t slot;
  };
  struct Turn {
    double weight = 0;
    std::uint64_t number = 0;
    std::uint64_t order = 0;
  };

  static bool later(const Item& a, const Item& b) {
    return a.time > b.time || (a.time == b.time && a.order > b.order);
  }

  void start(const PoolView& pool, Rng& rng) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::uint32_t slot : pool.eligible) least = std::min(least, pool.weights[slot]);
    now_ = rng.uniform01() / least;
    started_ = true;
  }

  // The slot's next turn: the one it was waiting for, if that is still within one of its periods.
  Item turn_of(std::uint32_t slot, double weight) {
    Turn& turn = turns_[slot];
    const double kept = static_cast<double>(turn.number) / weight;
    if (turn.weight != weight || kept < now_ || kept > now_ + 1 / weight) {
      turn = {weight, static_cast<std::uint64_t>(std::floor(now_ * weight)) + 1, next_order_++};
    }
    return {static_cast<double>(turn.number) / weight, turn.order, slot};
  }

  // Replaces the top by its next turn and lets it sink.
  void advance() noexcept {
    Item item = heap_.front();
    now_ = item.time;
    Turn& turn = turns_[item.slot];
    ++turn.number;
    turn.order = next_order_++;
    item.time = static_cast<double>(turn.number) / turn.weight;
    item.order = turn.order;
    std::size_t hole = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 2 * hole + 1) {
      if (child + 1 < heap_.size() && later(heap_[child], heap_[child + 1])) ++child;
      if (!later(item, heap_[child])) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = item;
  }

  bool started_ = false;
  double now_ = 0;
  std::uint64_t next_order_ = 0;
  std::vector<Turn> turns_;  // by slot
  std::vector<Item> heap_;   // earliest on top
};

}  // namespace

std::unique_ptr<Policy> make_round_robin(const PolicySettings&) {
  return std::make_unique<RoundRobin>();
}

}  // namespace evener
