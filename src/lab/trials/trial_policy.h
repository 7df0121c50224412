// What the trials' policies are made of: the members' ids, the least of all by a cost, and the
// looks at those that were passed over, as peak_ewma has them.
//
// Owned by one Balancer and its thread. Cost: O(n) per pick.
#pragma once

#include <evener/custom_policy.h>

#include <array>
#include <limits>
#include <vector>

namespace evener::lab {

class TrialPolicy : public CustomPolicy {
 public:
  void rebuild(std::span<const Endpoint* const> members) override {
    ids_.clear();
    for (const Endpoint* member : members) ids_.push_back(static_cast<std::uint32_t>(member->id));
  }

  std::uint32_t pick(PolicyView& view) noexcept override {
    const std::uint32_t best = choose(view);
    std::array<std::uint32_t, 2> two;
    for (const std::uint32_t i : view.draw(two)) {
      if (i != best && view.forgotten(i)) return i;
    }
    return best;
  }

 protected:
  virtual std::uint32_t choose(PolicyView& view) noexcept = 0;

  // The server's number. REQUIRES: i < view.size().
  std::uint32_t id(std::uint32_t i) const { return ids_[i]; }
  static double load(const PolicyView& view, std::uint32_t i) {
    return 1.0 + view.in_flight(i) + view.elsewhere(i);
  }
  // Equals at random.
  template <typename Cost>
  static std::uint32_t least(PolicyView& view, Cost&& cost) {
    std::uint32_t best = kNobody;
    double lowest = std::numeric_limits<double>::infinity();
    std::uint64_t equals = 0;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      if (!view.usable(i)) continue;
      const double mine = cost(i);
      if (mine > lowest) continue;
      equals = mine < lowest ? 1 : equals + 1;
      lowest = mine;
      if (equals == 1 || view.rng().below(equals) == 0) best = i;
    }
    return best;
  }

 private:
  std::vector<std::uint32_t> ids_;
};

}  // namespace evener::lab
