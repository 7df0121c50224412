// KetamaRing: the consistent hash ring of ketama, point for point as nginx builds it for
// `hash ... consistent`, so that a key keeps its endpoint when nginx is replaced.
//
// An endpoint named "HOST:PORT" has `points` points per unit of weight (at least one). Point k is
// the CRC-32 of HOST, a zero byte, PORT and point k - 1 (four bytes, low one first; zero for k =
// 0). A key belongs to the first point at or past its own CRC-32, the last point being followed by
// the first. Points that coincide are told apart by the endpoints' identities, so endpoints of one
// name share their points evenly (nginx goes by the order in its file: one ring in a thousand has a
// pair). Beyond kTotalMax points all endpoints get fewer, in proportion. Owned by one policy;
// immutable between builds. build: O(points), allocates: 8 to 16 bytes a point. find: one look into
// an index by the top bits, then a binary search among the one or two points behind it. Source: R.
// Jones, libketama 2007; ngx_http_upstream_hash_module.c of nginx 1.22.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "balance/keyed/members.h"

namespace evener {

// The CRC-32 from which the points of an endpoint of this name go on.
std::uint32_t ketama_start(std::string_view name);

class KetamaRing {
 public:
  static constexpr std::size_t kTotalMax = std::size_t{1} << 22;
  // A walk gives up after this many points. The chance that so many in a row are not allowed is
  // (their share)^256.
  static constexpr std::size_t kLooks = 256;

  struct Point {
    std::uint32_t hash;
    std::uint32_t slot;
  };

  void build(std::span<const KeyedMember> members, std::uint32_t points_per_weight);

  std::span<const Point> points() const { return points_; }
  // Where the key's walk begins. REQUIRES: points.
  std::size_t find(std::uint32_t crc) const noexcept;

  // The slot of the first point from the key on for whose slot `allowed(slot)` holds, or
  // Slot::kNone when kLooks points have none.
  template <typename Allowed>
  std::uint32_t walk(std::uint32_t crc, Allowed&& allowed) const noexcept {
    if (points_.empty()) return Slot::kNone;
    std::size_t at = find(crc);
    std::uint32_t refused = Slot::kNone;
    for (std::size_t look = 0; look < kLooks; ++look) {
      const std::uint32_t slot = points_[at].slot;
      if (slot != refused && allowed(slot)) return slot;
      refused = slot;
      at = at + 1 == points_.size() ? 0 : at + 1;
    }
    return Slot::kNone;
  }

 private:
  std::size_t bucket(std::uint32_t hash) const { return std::uint64_t{hash} >> shift_; }

  std::vector<Point> points_;         // ascending
  std::vector<std::uint32_t> first_;  // by bucket, where its points begin; one more at the end
  unsigned shift_ = 32;
};

}  // namespace evener
