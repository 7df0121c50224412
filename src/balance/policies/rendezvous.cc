// rendezvous: the endpoint that wins the key's draw of all, by weight; the next best when that was
// tried. O(n) per pick, about 2 ns an endpoint: for pools of up to some hundred. Nothing to build.
//
// Only the keys of an endpoint that leaves move, each to its next best; only keys that a newcomer
// wins move to it. Load does not matter: a hot key stays where it is.
#include "balance/keyed/rendezvous_hash.h"
#include "balance/policies/policies.h"

namespace evener {
namespace {

class Rendezvous final : public Policy {
 public:
  void rebuild(const PoolView& pool, Rng&) override {
    if (members_.update(pool)) hash_.build(members_.all());
  }

  std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept override {
    if (!context.key()) return pick_unkeyed(pool, context);
    return hash_.best<1>(context.key()->hash,
                         [&context](std::uint32_t slot) { return !context.excluded(slot); })[0];
  }

 private:
  KeyedMembers members_;
  RendezvousHash hash_;
};

}  // namespace

std::unique_ptr<Policy> make_rendezvous(const PolicySettings&) {
  return std::make_unique<Rendezvous>();
}

}  // namespace evener
