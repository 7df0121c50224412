// Custom policies: a rule of one's own in a Balancer, as a small class (examples/custom_policy).
//
// A CustomPolicy sees the pool through a PolicyView: the members (endpoints that are up and not
// draining) by number, with the counts that the Balancer keeps for every policy. It answers with
// the number of a usable one. In-flight counts, latency, success, ejection, warm-up, retries and
// explanations work as with the built-in policies; what it compared is explained when it says so.
// A wrong answer does no harm: the balancer then draws one of the usable ones evenly.
//
//     BalancerOptions options;
//     options.policy.name = "mine";  // what explanations call it; not a name of the catalog
//     options.custom = [] { return std::make_unique<Mine>(); };
//
// A policy object belongs to one Balancer and its thread. A view holds during the call it is passed
// to. Cost: a pick is one virtual call more than a built-in one, each question to the view one
// function call; nothing here allocates but before rebuild. What the other settings of
// options.policy say of estimates (tau, floor, prior, window, reprobe) holds for custom policies.
#pragma once

#include <evener/endpoint.h>
#include <evener/key.h>
#include <evener/rng.h>
#include <evener/time.h>

#include <cstdint>
#include <optional>
#include <span>

namespace evener {

struct PoolView;
struct PickContext;

namespace balance_internal {
class CustomAdapter;
}

// One pick, as a custom policy sees it. `i` is a member's number. REQUIRES: i < size().
class PolicyView {
 public:
  PolicyView(const PolicyView&) = delete;
  PolicyView& operator=(const PolicyView&) = delete;

  // Members, usable or not. Their numbers stay until the next rebuild.
  std::uint32_t size() const;
  // May be picked: not tried before, not ejected, not left alone, below its limit. Two or more are.
  bool usable(std::uint32_t i) const;
  std::uint32_t usable_count() const;

  const Endpoint& endpoint(std::uint32_t i) const;
  std::uint32_t in_flight(std::uint32_t i) const;  // this balancer's
  std::uint32_t elsewhere(std::uint32_t i) const;  // other workers', as last told
  // What to reckon with now: the estimate, or the age of what is unanswered; the pool's median for
  // one that has not answered yet.
  Duration latency(std::uint32_t i) const;
  double weight(std::uint32_t i) const;   // its own times its warm-up factor; above 0
  double success(std::uint32_t i) const;  // 1 without failures, down to 1/1024; divide by it
  // Idle, and passed over for PolicySettings::reprobe and 8 n picks: take it for once though it
  // costs more, if failures or latency decide, or its recovery is never seen.
  bool forgotten(std::uint32_t i) const;

  Time now() const;
  const std::optional<Key>& key() const;
  Rng& rng();

  // Fills `out` with distinct usable members drawn at random in proportion to weight, in random
  // order, and returns the part filled: min(out.size(), usable_count(), kChoicesMax) of them.
  std::span<const std::uint32_t> draw(std::span<std::uint32_t> out);
  // Tells explain() that `i` was compared, at this cost (of any unit). The first 16 are kept.
  void compared(std::uint32_t i, double cost);

 private:
  friend class balance_internal::CustomAdapter;
  PolicyView(const balance_internal::CustomAdapter& adapter, const PoolView& pool,
             PickContext& context)
      : adapter_(adapter), pool_(pool), context_(context) {}

  const balance_internal::CustomAdapter& adapter_;
  const PoolView& pool_;
  PickContext& context_;
};

class CustomPolicy {
 public:
  static constexpr std::uint32_t kNobody = 0xffff'ffff;

  virtual ~CustomPolicy() = default;
  // The members or their weights changed: members[i] has the number i from now on, in the set's
  // order. The pointers hold until the next rebuild. May allocate.
  virtual void rebuild(std::span<const Endpoint* const> members) { static_cast<void>(members); }
  // The number of a usable member; kNobody, or any other, lets the balancer draw one. Not called
  // when only one is usable. Must not allocate, lock, wait or throw.
  virtual std::uint32_t pick(PolicyView& view) noexcept = 0;
};

}  // namespace evener
