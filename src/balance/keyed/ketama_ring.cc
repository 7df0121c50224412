#include "balance/keyed/ketama_ring.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/crc32.h"

namespace evener {
namespace {

// Low byte first on every machine.
std::uint32_t next_point(std::uint32_t start, std::uint32_t before) {
  const char bytes[] = {static_cast<char>(before & 0xff), static_cast<char>((before >> 8) & 0xff),
                        static_cast<char>((before >> 16) & 0xff), static_cast<char>(before >> 24)};
  return crc32({bytes, sizeof bytes}, start);
}

// How many points each has: at least one, kTotalMax in all or little more.
std::vector<std::uint32_t> counts_of(std::span<const KeyedMember> members, double per_weight) {
  double total = 0;
  for (const KeyedMember& member : members) total += member.weight * per_weight;
  const double most = static_cast<double>(KetamaRing::kTotalMax);
  const double scale = total > most ? per_weight * most / total : per_weight;
  std::vector<std::uint32_t> counts;
  counts.reserve(members.size());
  for (const KeyedMember& member : members) {
    counts.push_back(static_cast<std::uint32_t>(std::max(1.0, std::round(member.weight * scale))));
  }
  return counts;
}

}  // namespace

std::uint32_t ketama_start(std::string_view name) {
  // A port is what stands behind the last colon, if that is digits only; an empty one counts.
  const std::size_t last = name.find_last_not_of("0123456789");
  const bool has_port = last != std::string_view::npos && name[last] == ':';
  const std::string_view host = has_port ? name.substr(0, last) : name;
  const std::string_view port = has_port ? name.substr(last + 1) : std::string_view();
  return crc32(port, crc32(std::string_view("", 1), crc32(host)));
}

void KetamaRing::build(std::span<const KeyedMember> members, std::uint32_t points_per_weight) {
  const std::vector<std::uint32_t> counts = counts_of(members, points_per_weight);
  std::vector<Point> drawn;
  std::size_t total = 0;
  for (const std::uint32_t count : counts) total += count;
  drawn.reserve(total);
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    std::uint32_t hash = 0;
    for (std::uint32_t k = 0; k < counts[i]; ++k) {
      hash = next_point(members[i].ring_start, hash);
      drawn.push_back({hash, i});
    }
  }
  // CRCs are spread evenly: one or two fall into each bucket, and sorting costs no more than that.
  shift_ = 32U - static_cast<unsigned>(std::bit_width(total) - (total > 0 ? 1 : 0));
  first_.assign((std::size_t{1} << (32 - shift_)) + 1, 0);
  for (const Point& point : drawn) ++first_[bucket(point.hash)];
  std::uint32_t end = 0;
  for (std::uint32_t& count : first_) count = end += count;
  points_.resize(total);
  for (const Point& point : drawn) points_[--first_[bucket(point.hash)]] = point;
  const auto before = [members](const Point& a, const Point& b) {
    if (a.hash != b.hash) return a.hash < b.hash;
    return mix64(members[a.slot].id ^ a.hash) < mix64(members[b.slot].id ^ b.hash);
  };
  for (std::size_t b = 0; b + 1 < first_.size(); ++b) {
    const auto begin = points_.begin();
    std::sort(begin + first_[b], begin + first_[b + 1], before);
  }
  for (Point& point : points_) point.slot = members[point.slot].slot;
}

std::size_t KetamaRing::find(std::uint32_t crc) const noexcept {
  const std::size_t b = bucket(crc);
  const auto* const points = points_.data();
  const auto* const found =
      std::lower_bound(points + first_[b], points + first_[b + 1], crc,
                       [](const Point& point, std::uint32_t hash) { return point.hash < hash; });
  const auto at = static_cast<std::size_t>(found - points);
  return at == points_.size() ? 0 : at;
}

}  // namespace evener
