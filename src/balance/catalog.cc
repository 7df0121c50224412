#include <evener/policy.h>

#include <algorithm>
#include <array>
#include <vector>

#include "balance/policies/policies.h"

namespace evener {
namespace {

constexpr std::array<std::string_view, 7> kPeakEwmaTakes = {
    "choices", "estimator", "tau", "floor", "prior", "window", "reprobe"};
constexpr std::array<std::string_view, 6> kPrequalTakes = {"estimator", "tau",    "floor",
                                                           "prior",     "window", "reprobe"};
constexpr std::array<std::string_view, 3> kP2cTakes = {"choices", "replacement", "beta"};
constexpr std::array<std::string_view, 1> kChoices = {"choices"};
constexpr std::array<std::string_view, 1> kPoints = {"points"};
constexpr std::array<std::string_view, 1> kTableSize = {"table_size"};
constexpr std::array<std::string_view, 3> kBoundedLoadTakes = {"load_factor", "over", "points"};

constexpr std::array<PolicyInfo, 17> kCatalog = {{
    {.name = "peak_ewma",
     .summary = "of all, or some, the one with least latency x load per weight and success",
     .source = "Finagle PeakEwma, brpc la; own estimator",
     .parameters = kPeakEwmaTakes,
     .make = make_peak_ewma,
     .uses_latency = true,
     .uses_success = true},
    {.name = "p2c",
     .summary = "of two at random, the one with fewest requests in flight per weight",
     .source = "Mitzenmacher 2001; Azar et al. 1994",
     .parameters = kP2cTakes,
     .make = make_p2c},
    {.name = "least_request",
     .summary = "the endpoint with fewest requests in flight per weight, of all",
     .source = "join the shortest queue, Winston 1977",
     .parameters = {},
     .make = make_least_request},
    {.name = "idle_first",
     .summary = "an idle endpoint at random; when there is none, p2c",
     .source = "join-idle-queue, Lu et al. 2011",
     .parameters = {},
     .make = make_idle_first},
    {.name = "p2c_memory",
     .summary = "p2c that also remembers the least loaded endpoint of the last pick",
     .source = "Mitzenmacher, Prabhakar and Shah 2002",
     .parameters = kChoices,
     .make = make_p2c_memory},
    {.name = "go_left",
     .summary = "one from each of two groups, the fewest in flight, of equals the left: to compare",
     .source = "Voecking 1999",
     .parameters = kChoices,
     .make = make_go_left},
    {.name = "lsq",
     .summary = "the least of estimates that grow with picks and are refreshed one at a time",
     .source = "local shortest queue, Vargaftik, Keslassy and Orda 2020",
     .parameters = {},
     .make = make_lsq,
     .takes_reports = true},
    {.name = "reported",
     .summary = "p2c with the utilisation that the endpoints report",
     .source = "Netflix Zuul 2018, choice of two",
     .parameters = kChoices,
     .make = make_reported,
     .takes_reports = true},
    {.name = "prequal",
     .summary = "of those lately probed, the fastest that does not hold more than most",
     .source = "Prequal, Wydrowski et al., NSDI 2024",
     .parameters = kPrequalTakes,
     .make = make_prequal,
     .uses_latency = true,
     .uses_success = true,
     .takes_reports = true},
    {.name = "round_robin",
     .summary = "in turn, smooth and by weight",
     .source = "earliest deadline first, as in packet scheduling",
     .parameters = {},
     .make = make_round_robin,
     .uses_load = false},
    {.name = "random",
     .summary = "at random by weight",
     .source = "Walker 1974 for the draw",
     .parameters = {},
     .make = make_random,
     .uses_load = false},
    {.name = "two_choice_hash",
     .summary = "of the key's two endpoints, the one with fewer requests in flight per weight",
     .source = "Azar et al. 1994; Thaler and Ravishankar 1998",
     .parameters = {},
     .make = make_two_choice_hash,
     .uses_key = true},
    {.name = "bounded_load",
     .summary = "by key on a ring or by rendezvous; no endpoint above load_factor x its fair share",
     .source = "Mirrokni, Thorup and Zadimoghaddam 2016",
     .parameters = kBoundedLoadTakes,
     .make = make_bounded_load,
     .uses_key = true},
    {.name = "rendezvous",
     .summary = "by key, the endpoint that wins the key's draw, by weight",
     .source = "Thaler and Ravishankar 1998; Schindelhauer and Schomaker 2005",
     .parameters = {},
     .make = make_rendezvous,
     .uses_key = true},
    {.name = "ring",
     .summary = "by key on a ketama ring, as nginx's hash ... consistent",
     .source = "Jones, libketama 2007",
     .parameters = kPoints,
     .make = make_ring,
     .uses_key = true},
    {.name = "maglev",
     .summary = "by key from a table that endpoints fill in turns, by weight",
     .source = "Eisenbud et al., NSDI 2016",
     .parameters = kTableSize,
     .make = make_maglev,
     .uses_key = true},
    {.name = "jump",
     .summary = "by key, by place in the set: for sets that change at their end",
     .source = "Lamping and Veach 2014",
     .parameters = {},
     .make = make_jump,
     .uses_key = true},
}};

std::unexpected<Error> out_of_range(std::string_view what, std::string_view range,
                                    std::string found) {
  return std::unexpected(Error{"policy setting \"" + std::string(what) + "\": expected " +
                               std::string(range) + ", found " + std::move(found)});
}

std::string text(Duration d) { return std::to_string(d.ns()) + " ns"; }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t swap = diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, swap}));
    }
  }
  return row[b.size()];
}

Error unknown_policy(const std::string& name) {
  std::string known;
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(3, name.size() / 2);
  for (const PolicyInfo& info : kCatalog) {
    known += (known.empty() ? "" : ", ") + std::string(info.name);
    const std::size_t distance = edit_distance(name, info.name);
    if (distance < least) {
      least = distance;
      nearest = info.name;
    }
  }
  std::string message = "unknown policy \"" + name + "\"";
  if (!nearest.empty()) message += ", did you mean \"" + std::string(nearest) + "\"?";
  return Error{message + (nearest.empty() ? "; expected one of " : " Expected one of ") + known};
}

// An odd one.
bool is_prime(std::uint64_t n) {
  for (std::uint64_t d = 3; d * d <= n; d += 2) {
    if (n % d == 0) return false;
  }
  return n >= 3 && n % 2 == 1;
}

struct Range {
  std::string_view name;
  Duration value;
  Duration least;
  Duration most;
  std::string_view words;
};

}  // namespace

std::span<const PolicyInfo> policy_catalog() { return kCatalog; }

const PolicyInfo* find_policy(std::string_view name) {
  const auto found = std::ranges::find(kCatalog, name, &PolicyInfo::name);
  return found == kCatalog.end() ? nullptr : &*found;
}

std::uint32_t choices_of(const PolicySettings& settings) {
  if (settings.choices != kChoicesUsual) return settings.choices;
  return settings.name == "peak_ewma" ? kChoicesAuto : 2;
}

std::expected<void, Error> check_settings(const PolicySettings& s) {
  const std::uint32_t choices = choices_of(s);
  const bool word = choices == kChoicesAll || choices == kChoicesAuto;
  if (word && s.name != "peak_ewma") {
    return out_of_range("choices", "1 to " + std::to_string(kChoicesMax),
                        "a word that only peak_ewma takes");
  }
  if (!word && (choices < 1 || choices > kChoicesMax)) {
    return out_of_range("choices", "1 to " + std::to_string(kChoicesMax), std::to_string(choices));
  }
  if (!(s.beta >= 0 && s.beta <= 1)) return out_of_range("beta", "0 to 1", std::to_string(s.beta));
  if (s.points < 1 || s.points > kPointsMax) {
    return out_of_range("points", "1 to " + std::to_string(kPointsMax), std::to_string(s.points));
  }
  if (s.table_size > kTableSizeMax || !is_prime(s.table_size)) {
    return out_of_range("table_size", "a prime, 3 to " + std::to_string(kTableSizeMax),
                        std::to_string(s.table_size));
  }
  if (!(s.load_factor >= 1.01 && s.load_factor <= 100)) {
    return out_of_range("load_factor", "1.01 to 100", std::to_string(s.load_factor));
  }
  const Range ranges[] = {
      {"tau", s.tau, Duration::milliseconds(1), Duration::seconds(3600), "1 ms to 1 h"},
      {"floor", s.floor, Duration::nanoseconds(1), Duration::seconds(10), "1 ns to 10 s"},
      {"prior", s.prior, Duration::nanoseconds(1), Duration::seconds(60), "1 ns to 60 s"},
      {"window", s.window, Duration::milliseconds(10), Duration::seconds(3600), "10 ms to 1 h"},
      {"reprobe", s.reprobe, Duration::milliseconds(200), Duration::seconds(3600), "200 ms to 1 h"},
  };
  for (const Range& range : ranges) {
    if (range.value < range.least || range.value > range.most) {
      return out_of_range(range.name, range.words, text(range.value));
    }
  }
  return {};
}

std::expected<std::unique_ptr<Policy>, Error> make_policy(const PolicySettings& settings) {
  if (auto ok = check_settings(settings); !ok) return std::unexpected(std::move(ok.error()));
  const PolicyInfo* const info = find_policy(settings.name);
  if (info == nullptr) return std::unexpected(unknown_policy(settings.name));
  return info->make(settings);
}

}  // namespace evener
