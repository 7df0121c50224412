// bounded_load: consistent hashing in which no endpoint holds more than
//   ceil(load_factor x (requests in flight, this one included) x its share of the weight);
// what is above that goes to the next on the ring, or the next best by rendezvous (`over`), always
// the same one. O(1 / (load_factor - 1)) points of the ring per pick on the average, at most
// KetamaRing::kLooks, then as over rendezvous: O(n).
//
// In flight means this worker's tickets, those of draining endpoints included; other workers bound
// theirs alike, so the sum is bounded. Shares count among the endpoints neither barred nor tried,
// so one of them always has room: a retry may go above the bound of the first try. Taking what is
// barred off the sum of weights is O(barred). Requests without a key are not bounded. Keys whose
// endpoint has room never move. Mirrokni, Thorup and Zadimoghaddam 2016.
#include "balance/keyed/ketama_ring.h"
#include "balance/keyed/rendezvous_hash.h"
#include "balance/policies/policies.h"

namespace evener {
namespace {

class BoundedLoad final : public Policy {
 public:
  explicit BoundedLoad(const PolicySettings& settings)
      : factor_(settings.load_factor), points_(settings.points), over_(settings.over) {}

  void rebuild(const PoolView& pool, Rng&) override {
    if (!members_.update(pool)) return;
    weight_ = 0;
    for (const KeyedMember& member : members_.all()) weight_ += member.weight;
    if (over_ == KeyedOver::kRing) ring_.build(members_.all(), points_);
    hash_.build(members_.all());
  }

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    if (!context.key()) return pick_unkeyed(pool, context);
    double weight = weight_;
    for (const std::uint32_t slot : context.tried_slots) weight -= pool.weights[slot];
    for (const std::uint32_t slot : pool.out) weight -= pool.weights[slot];
    // in_flight + 1 <= ceil(x) is in_flight < x; the last digits must not make 2 of 2.0000000001.
    constexpr double kRounding = 1 - 1e-12;
    const double allowed = factor_ * static_cast<double>(pool.in_flight() + 1) * kRounding;
    const auto has_room = [&](std::uint32_t slot) {
      return pool.slots[slot].in_flight * weight < allowed * pool.weights[slot] &&
             !context.excluded(slot);
    };
    const std::uint32_t slot = ring_.walk(context.key()->crc, has_room);
    return slot != Slot::kNone ? slot : hash_.best<1>(context.key()->hash, has_room)[0];
  }

 private:
  double factor_;
  std::uint32_t points_;
  KeyedOver over_;
  double weight_ = 0;  // of all members
  KeyedMembers members_;
  KetamaRing ring_;  // without points when over rendezvous
  RendezvousHash hash_;
};

}  // namespace

std::unique_ptr<Policy> make_bounded_load(const PolicySettings& settings) {
  return std::make_unique<BoundedLoad>(settings);
}

}  // namespace evener
