#include "lab/scenario/parse_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace evener::lab {
namespace {

using config::Node;
using config::Reader;
using namespace std::string_view_literals;

constexpr std::array kGroupKeys = {"count"sv,      "speed"sv,      "slots"sv,
                                   "discipline"sv, "limit"sv,      "weight"sv,
                                   "cold"sv,       "cold_floor"sv, "cold_at_start"sv};
constexpr std::array kDisciplines = {"fcfs"sv, "sharing"sv};
constexpr std::array kRolloutKeys = {"join"sv, "leave"sv, "at"sv, "apart"sv, "notice"sv};
constexpr std::array kRetryKeys = {"attempts"sv, "budget"sv, "backoff"sv};
constexpr std::array kHedgeKeys = {"after"sv};
constexpr std::array kBalancerKeys = {"count"sv, "board"sv, "assign"sv, "tick"sv};
constexpr std::array kAssigns = {"random"sv, "even"sv};
constexpr std::array kArrivalKeys = {"load"sv,  "rate"sv,  "kind"sv,  "gap"sv,   "factor"sv,
                                     "burst"sv, "quiet"sv, "users"sv, "think"sv, "profile"sv};
constexpr std::array kArrivalKinds = {"poisson"sv, "steady"sv, "renewal"sv, "bursty"sv, "closed"sv};

std::optional<std::uint32_t> whole(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void read_server_text(Reader& reader, const Node& node, std::string_view what,
                      std::uint32_t servers, std::vector<std::uint32_t>& out) {
  const std::string_view text = node.text;
  if (text == "all") {
    for (std::uint32_t s = 0; s < servers; ++s) out.push_back(s);
    return;
  }
  const std::size_t dash = text.find('-');
  const auto first = whole(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : whole(text.substr(dash + 1));
  if (node.kind != Node::Kind::kScalar || !first || !last || *first > *last || *last >= servers) {
    return reader.error(node.mark,
                        fmt::format("{}: expected servers from 0 to {}, as `3`, `0-4` or `all`, "
                                    "found `{}`",
                                    what, servers - 1, text));
  }
  for (std::uint32_t s = *first; s <= *last; ++s) out.push_back(s);
}

}  // namespace

bool read_number(Reader& reader, const Node& node, std::string_view what, double least, double most,
                 double& out) {
  double value = 0;
  if (!reader.value(node, what, config::parse_number, value)) return false;
  if (value < least || value > most) {
    reader.error(node.mark, fmt::format("{}: expected a number from {:g} to {:g}, found `{}`", what,
                                        least, most, node.text));
    return false;
  }
  out = value;
  return true;
}

bool read_seconds(Reader& reader, const Node& node, std::string_view what, double least,
                  double most, double& out) {
  Duration value;
  if (!reader.value(node, what, config::parse_duration, value)) return false;
  const double s = value.to_seconds();
  if (s < least || s > most) {
    reader.error(node.mark,
                 fmt::format("{}: expected {} to {}, found `{}`", what,
                             config::duration_text(Duration::from_seconds(least)),
                             config::duration_text(Duration::from_seconds(most)), node.text));
    return false;
  }
  out = s;
  return true;
}

bool read_flag(Reader& reader, const Node& node, std::string_view what, bool& out) {
  constexpr std::array kWords = {"false"sv, "true"sv};
  out = reader.choice(node, what, kWords, out ? 1 : 0) == 1;
  return true;
}

bool read_law(Reader& reader, const Node& node, std::string_view what, sim::Distribution& out) {
  const auto parse = [](std::string_view text) -> config::Value<sim::Distribution> {
    auto law = sim::Distribution::parse(text);
    if (!law) return std::unexpected(law.error().message);
    return std::move(*law);
  };
  return reader.value(node, what, parse, out);
}

void read_servers(Reader& reader, const Node& node, std::string_view what, std::uint32_t servers,
                  std::vector<std::uint32_t>& out) {
  out.clear();
  if (node.kind == Node::Kind::kSequence) {
    for (const Node* item : reader.list(node, what)) {
      read_server_text(reader, *item, what, servers, out);
    }
  } else {
    read_server_text(reader, node, what, servers, out);
  }
  std::ranges::sort(out);
  const auto twice = std::ranges::unique(out);
  out.erase(twice.begin(), twice.end());
}

sim::ServerGroup read_group(Reader& reader, const Node& node) {
  sim::ServerGroup group;
  double cold = 0;
  for (const auto& [key, value] : reader.map(node, "a group of servers", {kGroupKeys})) {
    const std::string what = fmt::format("`{}`", key->text);
    if (key->text == "count") reader.count(*value, what, 1, 100'000, group.count);
    if (key->text == "speed") read_number(reader, *value, what, 1e-6, 1e6, group.spec.speed);
    if (key->text == "slots") reader.count(*value, what, 1, 1'000'000, group.spec.slots);
    if (key->text == "discipline") {
      group.spec.discipline = reader.choice(*value, what, kDisciplines, 0) == 1
                                  ? sim::Discipline::kSharing
                                  : sim::Discipline::kFcfs;
    }
    if (key->text == "limit") reader.count(*value, what, 1, 1'000'000'000, group.spec.limit);
    if (key->text == "weight") read_number(reader, *value, what, 1e-6, 1e6, group.weight);
    if (key->text == "cold") read_seconds(reader, *value, what, 0, kLongest, cold);
    if (key->text == "cold_floor")
      reader.value(*value, what, config::parse_share, group.cold_floor);
    if (key->text == "cold_at_start") read_flag(reader, *value, what, group.cold_at_start);
  }
  group.cold = Duration::from_seconds(cold);
  return group;
}

void read_rollouts(Reader& reader, const Node& node, std::uint32_t servers,
                   std::vector<sim::Rollout>& out) {
  for (const Node* item : reader.list(node, "`rollouts`")) {
    sim::Rollout rollout;
    const Node* which = nullptr;
    for (const auto& [key, value] : reader.map(*item, "a roll-out", {kRolloutKeys})) {
      const std::string what = fmt::format("`{}`", key->text);
      if (key->text == "join" || key->text == "leave") {
        if (which != nullptr) {
          reader.error(key->mark, "a roll-out: expected `join` or `leave`, found both");
        }
        which = value;
        rollout.join = key->text == "join";
        read_servers(reader, *value, what, servers, rollout.servers);
      }
      if (key->text == "at") read_seconds(reader, *value, what, 0, kLongest, rollout.at_s);
      if (key->text == "apart") read_seconds(reader, *value, what, 0, kLongest, rollout.apart_s);
      if (key->text == "notice") read_seconds(reader, *value, what, 0, kLongest, rollout.notice_s);
    }
    if (which == nullptr) {
      reader.error(item->mark,
                   "a roll-out: expected `join: SERVERS` or `leave: SERVERS`, found "
                   "neither");
    }
    out.push_back(std::move(rollout));
  }
}

void read_retry(Reader& reader, const Node& node, sim::RetrySettings& out) {
  out.attempts = 2;
  for (const auto& [key, value] : reader.map(node, "`retry`", {kRetryKeys})) {
    const std::string what = fmt::format("`{}`", key->text);
    if (key->text == "attempts") reader.count(*value, what, 1, 8, out.attempts);
    if (key->text == "budget") {
      if (value->text == "unlimited") {
        out.unlimited = true;
      } else {
        reader.value(*value, what, config::parse_share, out.budget.share);
      }
    }
    double backoff = 0;
    if (key->text == "backoff" && read_seconds(reader, *value, what, 0, kLongest, backoff)) {
      out.backoff = Duration::from_seconds(backoff);
    }
  }
}

void read_hedge(Reader& reader, const Node& node, sim::HedgeOptions& out) {
  const Node* after = nullptr;
  for (const auto& [key, value] : reader.map(node, "`hedge`", {kHedgeKeys})) after = value;
  out.on = true;
  if (after == nullptr) {
    return reader.error(node.mark, "`hedge`: expected `after: p95` or `after: TIME`, found none");
  }
  if (!after->text.starts_with('p')) {
    double s = 0;
    if (read_seconds(reader, *after, "`after`", 1e-6, kLongest, s)) {
      out.after = Duration::from_seconds(s);
    }
    return;
  }
  const auto percent = config::parse_number(after->text.substr(1));
  if (!percent || !(*percent >= 50 && *percent <= 99.99)) {
    return reader.error(after->mark,
                        fmt::format("`after`: expected a percentile from p50 to p99.99, or a time "
                                    "as in 30ms, found `{}`",
                                    after->text));
  }
  out.settings.percentile = *percent / 100;
}

void read_balancers(Reader& reader, const Node& node, sim::FleetOptions& out) {
  if (node.kind == Node::Kind::kScalar) {
    return reader.count(node, "`balancers`", 1, 10'000, out.balancers);
  }
  for (const auto& [key, value] : reader.map(node, "`balancers`", {kBalancerKeys})) {
    const std::string what = fmt::format("`{}`", key->text);
    if (key->text == "count") reader.count(*value, what, 1, 10'000, out.balancers);
    if (key->text == "board") read_flag(reader, *value, what, out.board);
    if (key->text == "assign") {
      out.assign = reader.choice(*value, what, kAssigns, 0) == 1
                       ? sim::FleetOptions::Assign::kEven
                       : sim::FleetOptions::Assign::kRandom;
    }
    if (key->text == "tick") {
      reader.duration(*value, what, Duration::microseconds(100), Duration::seconds(10),
                      out.tick_every);
    }
  }
}

namespace {

void read_profile(Reader& reader, const Node& node, std::vector<sim::RatePoint>& out) {
  for (const Node* item : reader.list(node, "`profile`")) {
    const auto point = reader.list(*item, "a point of `profile`");
    if (point.size() != 2) {
      reader.error(item->mark, "a point of `profile`: expected [TIME, FACTOR], as in [10s, 1.5]");
      continue;
    }
    sim::RatePoint read{0, 1};
    read_seconds(reader, *point[0], "a time in `profile`", 0, kLongest, read.at_s);
    read_number(reader, *point[1], "a factor in `profile`", 0, 1000, read.factor);
    out.push_back(read);
  }
}

void read_loads(Reader& reader, const Node& node, std::vector<double>& loads) {
  const auto add = [&](const Node& item) {
    double load = 0;
    if (read_number(reader, item, "`load`", 1e-3, 10, load)) loads.push_back(load);
  };
  if (node.kind == Node::Kind::kSequence) {
    for (const Node* item : reader.list(node, "`load`")) add(*item);
  } else {
    add(node);
  }
}

}  // namespace

void read_arrivals(Reader& reader, const Node& node, sim::Arrivals& out,
                   std::vector<double>& loads) {
  using Kind = sim::Arrivals::Kind;
  out = sim::Arrivals::poisson(0);
  std::size_t kind = 0;
  const auto entries = reader.map(node, "`arrivals`", {kArrivalKeys});
  for (const auto& [key, value] : entries) {
    const std::string what = fmt::format("`{}`", key->text);
    if (key->text == "load") read_loads(reader, *value, loads);
    if (key->text == "rate") read_number(reader, *value, what, 1e-6, 1e9, out.rate);
    if (key->text == "kind") kind = reader.choice(*value, what, kArrivalKinds, 0);
    if (key->text == "gap") read_law(reader, *value, what, out.gap);
    if (key->text == "factor") read_number(reader, *value, what, 1, 1000, out.burst_factor);
    if (key->text == "burst") read_seconds(reader, *value, what, 1e-3, kLongest, out.burst_s);
    if (key->text == "quiet") read_seconds(reader, *value, what, 1e-3, kLongest, out.quiet_s);
    if (key->text == "users") reader.count(*value, what, 1, 1'000'000, out.users);
    if (key->text == "think") read_law(reader, *value, what, out.think);
    if (key->text == "profile") read_profile(reader, *value, out.profile);
  }
  const std::string_view name = kArrivalKinds.at(kind);
  if (name == "steady") out.gap = sim::Distribution::constant();
  if (name == "bursty") out.kind = Kind::kBursty;
  if (name == "closed") out.kind = Kind::kClosed;
  // What a kind does not use is a mistake of whoever wrote it.
  const auto belongs = [&](std::string_view key) {
    if (key == "kind") return true;
    if (key == "users" || key == "think") return name == "closed";
    if (key == "gap") return name == "renewal";
    if (key == "factor" || key == "burst" || key == "quiet") return name == "bursty";
    return name != "closed";
  };
  for (const auto& [key, value] : entries) {
    if (belongs(key->text)) continue;
    reader.error(key->mark, fmt::format("`{}` has no meaning for `kind: {}`", key->text, name));
  }
  const bool rated = out.rate > 0 || !loads.empty();
  if (name == "closed" ? out.users == 0 : !rated) {
    reader.error(node.mark, name == "closed" ? "`arrivals`: expected `users: NUMBER`, found none"
                                             : "`arrivals`: expected `load: SHARE` of what the "
                                               "servers can do, or `rate: PER_SECOND`");
  }
  if (out.rate > 0 && !loads.empty()) {
    reader.error(node.mark, "`arrivals`: expected `load` or `rate`, found both");
  }
}

}  // namespace evener::lab
