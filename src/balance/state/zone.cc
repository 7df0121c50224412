#include <evener/zone.h>

#include <algorithm>

#include "balance/state/range_check.h"

namespace evener {
namespace {

bool has_capacity(const ZoneLoad& zone) { return zone.endpoints > 0 && zone.weight > 0; }

double mean_weight(std::span<const ZoneLoad> zones) {
  double weight = 0;
  double endpoints = 0;
  for (const ZoneLoad& zone : zones) {
    if (!has_capacity(zone)) continue;
    weight += zone.weight;
    endpoints += zone.endpoints;
  }
  return endpoints > 0 ? weight / endpoints : 1;
}

double load(double in_flight, double weight, double mean) {
  return (in_flight + 1) * mean / weight;
}

double pull(const ZoneLoad& zone, double mean) {
  return zone.weight / mean / (1 + load(zone.in_flight, zone.weight, mean));
}

std::size_t choose_remote(std::span<const ZoneLoad> zones, std::size_t local, Rng& rng) {
  const double mean = mean_weight(zones);
  double total = 0;
  std::size_t chosen = kNoZone;
  for (std::size_t i = 0; i < zones.size(); ++i) {
    if (i == local || !has_capacity(zones[i])) continue;
    const double part = pull(zones[i], mean);
    total += part;
    if (chosen == kNoZone || rng.uniform01() * total < part) chosen = i;
  }
  return chosen;
}

}  // namespace

std::expected<void, Error> check_settings(const ZoneSettings& settings) {
  return RangeCheck("zone")
      .number("busy", settings.busy, 1e-3, 1e6)
      .number("bias", settings.bias, 1, 1000)
      .result();
}

double spill_probability(std::span<const ZoneLoad> zones, std::size_t local,
                         const ZoneSettings& settings) noexcept {
  double away_weight = 0;
  double away_in_flight = 0;
  for (std::size_t i = 0; i < zones.size(); ++i) {
    if (i == local || !has_capacity(zones[i])) continue;
    away_weight += zones[i].weight;
    away_in_flight += zones[i].in_flight;
  }
  if (local >= zones.size() || !has_capacity(zones[local])) return 1;
  if (away_weight <= 0) return 0;
  const double mean = mean_weight(zones);
  const double here = load(zones[local].in_flight, zones[local].weight, mean);
  const double there = load(away_in_flight, away_weight, mean);
  const double limit = std::max(settings.busy, settings.bias * there);
  return std::clamp((here - limit) / limit, 0.0, 1.0);
}

std::size_t choose_zone(std::span<const ZoneLoad> zones, std::size_t local,
                        const ZoneSettings& settings, Rng& rng) noexcept {
  const double spill = spill_probability(zones, local, settings);
  if (spill <= 0 || (spill < 1 && rng.uniform01() >= spill)) return local;
  return choose_remote(zones, local, rng);
}

}  // namespace evener
