// jump: jump consistent hash over the set in its order. O(log n) per look, no table but one entry
// an endpoint. Looks: one for equal weights and all up, else 1 / (mean of weight / greatest weight,
// 0 for those that are down) on the average; after kLooks the key's rendezvous among the eligible
// decides, O(n).
//
// The number of an endpoint is its place in the set, down or not, so that one which goes down moves
// only its own keys: they look again. But a set that loses one from its middle renumbers those
// behind it, and most of their keys move; only at its end may a set grow and shrink freely. Weights
// are honoured by passing over endpoints in proportion, so a new greatest weight moves keys of all.
// Where membership changes in any order, take rendezvous, maglev or ring.
#include <algorithm>
#include <vector>

#include "balance/keyed/jump_hash.h"
#include "balance/keyed/rendezvous_hash.h"
#include "balance/policies/policies.h"

namespace evener {
namespace {

class Jump final : public Policy {
 public:
  void rebuild(const PoolView& pool, Rng&) override {
    std::uint32_t columns = 0;
    double greatest = 0;
    for (const std::uint32_t slot : pool.members) {
      columns = std::max(columns, pool.columns[slot] + 1);
      greatest = std::max(greatest, pool.weights[slot]);
    }
    places_.assign(columns, Place());
    for (const std::uint32_t slot : pool.members) {
      places_[pool.columns[slot]] = {slot, pool.weights[slot] / greatest};
    }
    if (members_.update(pool)) rest_.build(members_.all());
  }

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    if (!context.key()) return pick_unkeyed(pool, context);
    const auto columns = static_cast<std::uint32_t>(places_.size());
    for (std::uint32_t look = 0; look < kLooks; ++look) {
      const std::uint64_t key = further_look(context.key()->hash, look);
      const Place& place = places_[jump_hash(key, columns)];
      if (place.slot == Slot::kNone || context.excluded(place.slot)) continue;
      const double draw = static_cast<double>(mix64(~key) >> 11) * 0x1.0p-53;
      if (draw < place.taken) return place.slot;
    }
    return rest_.best<1>(context.key()->hash,
                         [&context](std::uint32_t slot) { return !context.excluded(slot); })[0];
  }

 private:
  static constexpr std::uint32_t kLooks = 64;

  struct Place {
    std::uint32_t slot = Slot::kNone;  // kNone: not eligible
    double taken = 0;                  // share of the keys that find it and stay
  };

  std::vector<Place> places_;  // by column
  KeyedMembers members_;
  RendezvousHash rest_;
};

}  // namespace

std::unique_ptr<Policy> make_jump(const PolicySettings&) { return std::make_unique<Jump>(); }

}  // namespace evener
