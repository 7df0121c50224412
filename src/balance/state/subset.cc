#include <evener/rng.h>
#include <evener/subset.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "balance/state/range_check.h"

namespace evener {
namespace {

constexpr std::uint64_t kUnitsMax = 1 << 20;  // of the heaviest endpoint's arc

bool usable(const Endpoint& endpoint) { return endpoint.up && !endpoint.draining; }

// Indexes by a hash of identity and seed; the same everywhere, whatever order they came in.
std::vector<std::uint32_t> ranking(std::span<const Endpoint> endpoints, std::uint64_t seed) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(endpoints.size());
  for (const Endpoint& endpoint : endpoints) {
    hashes.push_back(mix64(std::to_underlying(endpoint.id) ^ mix64(seed)));
  }
  std::vector<std::uint32_t> order(endpoints.size());
  std::iota(order.begin(), order.end(), 0U);
  // mix64 is a bijection: no two endpoints tie.
  std::ranges::sort(order, {}, [&hashes](std::uint32_t i) { return hashes[i]; });
  return order;
}

std::vector<SubsetMember> rendezvous(std::span<const Endpoint> endpoints, std::uint64_t seed,
                                     std::size_t size) {
  const std::vector<std::uint32_t> order = ranking(endpoints, seed);
  std::vector<SubsetMember> members;
  for (const bool wanted : {true, false}) {
    for (const std::uint32_t i : order) {
      if (members.size() < size && usable(endpoints[i]) == wanted) members.push_back({i, 1});
    }
  }
  return members;
}

// Arc lengths before they are multiplied by the number of instances.
std::vector<std::uint64_t> arc_units(std::span<const Endpoint> endpoints) {
  std::vector<std::uint64_t> units(endpoints.size(), 1);
  const auto [least, most] = std::ranges::minmax(endpoints, {}, &Endpoint::weight);
  if (least.weight == most.weight) return units;
  const double scale = static_cast<double>(kUnitsMax) / most.weight;
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    const auto rounded = static_cast<std::uint64_t>(std::llround(endpoints[i].weight * scale));
    units[i] = std::max<std::uint64_t>(rounded, 1);
  }
  return units;
}

struct Arc {
  std::uint32_t endpoint;
  std::uint64_t start;
  std::uint64_t length;
};

struct Ring {
  std::vector<Arc> arcs;  // in order
  std::uint64_t length = 0;
  std::uint64_t step = 0;  // between two instances
};

Ring make_ring(std::span<const Endpoint> endpoints, std::uint32_t instances) {
  const std::vector<std::uint64_t> units = arc_units(endpoints);
  Ring ring;
  for (const std::uint32_t i : ranking(endpoints, 0)) {
    ring.arcs.push_back({i, ring.length, units[i] * instances});
    ring.length += units[i] * instances;
  }
  ring.step = ring.length / instances;
  return ring;
}

std::uint64_t overlap(const Arc& arc, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t start = std::max(arc.start, from);
  const std::uint64_t end = std::min(arc.start + arc.length, to);
  return end > start ? end - start : 0;
}

std::uint64_t covered(const Ring& ring, const Arc& arc, std::uint64_t from, std::uint64_t width) {
  const std::uint64_t to = from + width;
  if (to <= ring.length) return overlap(arc, from, to);
  return overlap(arc, from, ring.length) + overlap(arc, 0, to - ring.length);
}

// The steps that are needed for `size` usable members where there would be as many if all were up.
std::uint64_t widen(std::span<const Endpoint> endpoints, const Ring& ring, std::uint64_t from,
                    std::uint64_t steps, std::size_t size) {
  std::size_t members = 0;
  for (const Arc& arc : ring.arcs)
    members += covered(ring, arc, from, steps * ring.step) > 0 ? 1 : 0;
  const std::size_t wanted = std::min(size, members);
  const auto after = [from](const Arc& arc) { return arc.start + arc.length <= from; };
  const auto first = std::ranges::partition_point(ring.arcs, after) - ring.arcs.begin();
  std::size_t healthy = 0;
  for (std::size_t i = 0; i < ring.arcs.size() && healthy < wanted; ++i) {
    const std::size_t at = (static_cast<std::size_t>(first) + i) % ring.arcs.size();
    const Arc& arc = ring.arcs[at];
    if (!usable(endpoints[arc.endpoint])) continue;
    ++healthy;
    const std::uint64_t away =
        i == 0 ? 0 : (arc.start >= from ? arc.start - from : arc.start + ring.length - from);
    steps = std::max(steps, away / ring.step + 1);
  }
  return steps;
}

std::vector<SubsetMember> aperture(std::span<const Endpoint> endpoints,
                                   const SubsetSettings& settings, std::size_t size) {
  const Ring ring = make_ring(endpoints, settings.count);
  const std::uint64_t from = settings.index * ring.step;
  const std::uint64_t n = endpoints.size();
  std::uint64_t steps = (std::uint64_t{size} * settings.count + n - 1) / n;
  steps = std::min<std::uint64_t>(widen(endpoints, ring, from, steps, size), settings.count);
  std::vector<SubsetMember> members;
  for (const Arc& arc : ring.arcs) {
    const std::uint64_t part = covered(ring, arc, from, steps * ring.step);
    if (part == 0) continue;
    members.push_back({arc.endpoint, static_cast<double>(part) / static_cast<double>(arc.length)});
  }
  return members;
}

}  // namespace

std::expected<void, Error> check_settings(const SubsetSettings& settings) {
  const double last = settings.count == 0 ? 0 : settings.count - 1;
  return RangeCheck("subset")
      .number("size", settings.size, 0, EndpointSet::kEndpointsMax)
      .number("count", settings.count, 0, kInstancesMax)
      .number("index", settings.index, 0, last)
      .result();
}

std::vector<SubsetMember> choose_subset(std::span<const Endpoint> endpoints,
                                        const SubsetSettings& settings) {
  const std::size_t size = std::max(settings.size, kSubsetLeast);
  std::vector<SubsetMember> members;
  if (settings.size == 0 || size >= endpoints.size()) {
    members.resize(endpoints.size());
    for (std::uint32_t i = 0; i < members.size(); ++i) members[i].endpoint = i;
    return members;
  }
  members = settings.count == 0 ? rendezvous(endpoints, settings.seed, size)
                                : aperture(endpoints, settings, size);
  std::ranges::sort(members, {}, &SubsetMember::endpoint);
  return members;
}

}  // namespace evener
