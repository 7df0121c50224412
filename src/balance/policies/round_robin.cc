// round_robin: smooth and weighted. An endpoint's k-th turn is at virtual time (k + phase) /
// weight; turns are taken in order of time, equal times first in, first out. So over a full cycle
// counts match weights exactly, a heavy endpoint's turns are spread out, and equal weights
// alternate. Phases are spread evenly over the endpoints of one weight, so that light ones do not
// come in a bunch; their order and where the rotation starts are drawn at random per balancer, so
// that workers do not all begin with the same endpoint, nor follow each other. O(1) while weights
// are equal, else O(log n).
//
// Turn numbers are integers, so times do not drift. A rebuild keeps the turns of endpoints whose
// weight is unchanged; newcomers get a random phase. The turn of one that was tried, is
// barred, or is passed over while it warms up is used up.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "balance/policies/policies.h"
#include "balance/pool_view.h"

namespace evener {
namespace {

class RoundRobin final : public Policy {
 public:
  void rebuild(const PoolView& pool, Rng& rng) override {
    if (pool.members.empty()) {
      heap_.clear();
      return;
    }
    turns_.resize(pool.slots.size());
    if (!started_) start(pool, rng);
    heap_.clear();
    for (const std::uint32_t slot : pool.members) {
      heap_.push_back(turn_of(slot, pool.weights[slot], rng));
    }
    in_rotation_ = pool.by_weight.empty();
    next_ = 0;
    if (in_rotation_) {
      std::ranges::sort(heap_, [](const Item& a, const Item& b) { return later(b, a); });
    } else {
      std::ranges::make_heap(heap_, later);
    }
  }

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    constexpr int kLooks = 64;
    for (int look = 0; look < kLooks; ++look) {
      const std::uint32_t slot = in_rotation_ ? rotate() : advance();
      if (!context.excluded(slot) && !pool.passes_cold(slot, context.rng)) return slot;
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
    double time() const { return (static_cast<double>(number) + phase) / weight; }
    // The first turn after `now`.
    void enter(double now) {
      number = static_cast<std::int64_t>(std::floor(now * weight - phase)) + 1;
    }

    double weight = 0;
    double phase = 0;  // in [0, 1)
    std::int64_t number = 0;
    std::uint64_t order = 0;
  };

  static bool later(const Item& a, const Item& b) {
    return a.time > b.time || (a.time == b.time && a.order > b.order);
  }

  // Picks a moment within the longest period, and spreads the phases of each weight evenly.
  void start(const PoolView& pool, Rng& rng) {
    std::vector<std::uint32_t> sorted(pool.members.begin(), pool.members.end());
    const std::uint64_t salt = rng.u64();
    std::ranges::sort(sorted, {}, [&](std::uint32_t slot) {
      return std::pair(pool.weights[slot], mix64(salt ^ slot));
    });
    now_ = rng.uniform01() / pool.weights[sorted.front()];
    for (std::size_t first = 0; first < sorted.size();) {
      const double weight = pool.weights[sorted[first]];
      std::size_t end = first;
      while (end < sorted.size() && pool.weights[sorted[end]] == weight) ++end;
      const double offset = rng.uniform01();
      for (std::size_t i = first; i < end; ++i) {
        const double rank = static_cast<double>(i - first) + offset;
        Turn turn{weight, rank / static_cast<double>(end - first), 0, next_order_++};
        turn.enter(now_);
        turns_[sorted[i]] = turn;
      }
      first = end;
    }
    started_ = true;
  }

  // The slot's next turn: the one it was waiting for, if that is still within one of its periods.
  Item turn_of(std::uint32_t slot, double weight, Rng& rng) {
    Turn& turn = turns_[slot];
    const bool same = turn.weight == weight;
    if (!same || turn.time() < now_ || turn.time() > now_ + 1 / weight) {
      turn = {weight, same ? turn.phase : rng.uniform01(), 0, next_order_++};
      turn.enter(now_);
    }
    return {turn.time(), turn.order, slot};
  }

  // With equal weights, who had a turn comes after all others: the sorted items are a ring.
  std::uint32_t rotate() noexcept {
    Item& item = heap_[next_];
    next_ = next_ + 1 == heap_.size() ? 0 : next_ + 1;
    take_turn(item);
    return item.slot;
  }

  // Replaces the top by its next turn and lets it sink.
  std::uint32_t advance() noexcept {
    Item item = heap_.front();
    take_turn(item);
    std::size_t hole = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 2 * hole + 1) {
      if (child + 1 < heap_.size() && later(heap_[child], heap_[child + 1])) ++child;
      if (!later(item, heap_[child])) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = item;
    return item.slot;
  }

  void take_turn(Item& item) noexcept {
    now_ = item.time;
    Turn& turn = turns_[item.slot];
    ++turn.number;
    turn.order = next_order_++;
    item.time = turn.time();
    item.order = turn.order;
  }

  bool started_ = false;
  double now_ = 0;
  std::uint64_t next_order_ = 0;
  std::vector<Turn> turns_;  // by slot
  std::vector<Item> heap_;   // earliest on top; sorted while in rotation
  bool in_rotation_ = false;
  std::size_t next_ = 0;  // in heap_, while in rotation
};

}  // namespace

std::unique_ptr<Policy> make_round_robin(const PolicySettings&) {
  return std::make_unique<RoundRobin>();
}

}  // namespace evener
