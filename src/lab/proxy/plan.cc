#include "lab/proxy/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace evener::lab::fleet {
namespace {

constexpr std::array<std::string_view, kMischiefs> kMischiefNames{"none",
                                                                  "early response",
                                                                  "unasked response",
                                                                  "idle close",
                                                                  "truncated",
                                                                  "reset",
                                                                  "garbage",
                                                                  "1xx storm",
                                                                  "trickle",
                                                                  "huge head",
                                                                  "endless",
                                                                  "extra bytes",
                                                                  "hang",
                                                                  "500",
                                                                  "503",
                                                                  "close",
                                                                  "no body",
                                                                  "body by close",
                                                                  "101"};
constexpr std::array<std::string_view, kManners> kMannerNames{
    "plain",  "abandon",  "half-close", "slow reader", "pipelined",       "slow upload",
    "expect", "HTTP/1.0", "HEAD",       "malformed",   "fresh connection"};
constexpr std::array<std::string_view, kFaultKinds> kFaultNames{
    "kill endpoint", "freeze endpoint", "partition endpoint", "partition clients",
    "endpoint down", "no route",        "slow endpoint",      "cut endpoint",
    "cut clients",   "few descriptors", "freeze proxy",       "kill proxy",
    "roll proxy",    "roll endpoints"};
constexpr std::array<std::string_view, 8> kPolicies{"peak_ewma",   "p2c",        "least_request",
                                                    "round_robin", "idle_first", "p2c_memory",
                                                    "random",      "prequal"};

constexpr std::array<std::string_view, 5> kKeyedPolicies{"two_choice_hash", "bounded_load", "ring",
                                                         "rendezvous", "maglev"};
constexpr std::array<std::string_view, 5> kKeys{"client_ip", "path", "host", "{ header: x-id }",
                                                "{ query: n }"};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : rng_(Rng(seed).fork("fleet plan")) {}
  bool chance(double p) { return rng_.uniform01() < p; }
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + rng_.below(high - low + 1);
  }
  Duration time(Duration low, Duration high) {
    return Duration::nanoseconds(static_cast<std::int64_t>(
        between(static_cast<std::uint64_t>(low.ns()), static_cast<std::uint64_t>(high.ns()))));
  }
  double fraction() { return rng_.uniform01(); }
  // Each of the kinds from `first` on with probability `p`.
  template <class Kind>
  std::vector<Kind> some(std::size_t first, std::size_t count, double p) {
    std::vector<Kind> chosen;
    for (std::size_t i = first; i < count; ++i) {
      if (chance(p)) chosen.push_back(static_cast<Kind>(i));
    }
    return chosen;
  }

 private:
  Rng rng_;
};

constexpr Duration ms(std::int64_t n) { return Duration::milliseconds(n); }

sim::Link draw_link(Draw& draw) {
  sim::Link link;
  link.latency = draw.time(Duration::microseconds(20), draw.chance(0.2) ? ms(20) : ms(1));
  if (draw.chance(0.5)) link.jitter = draw.time(Duration(), link.latency);
  if (draw.chance(0.3)) link.loss = 0.02 * draw.fraction();
  if (draw.chance(0.3)) link.bytes_per_second = 1e6 + 2e7 * draw.fraction();
  if (draw.chance(0.5)) {
    link.segment_min = draw.chance(0.5) ? 1 : draw.between(1, 1460);
    link.segment_max = draw.chance(0.2) ? link.segment_min : draw.between(link.segment_min, 4000);
    // Small segments that all arrive in one instant would be read as one.
    if (link.bytes_per_second == 0) link.bytes_per_second = 1e6 + 2e7 * draw.fraction();
  }
  if (draw.chance(0.3)) link.send_buffer = draw.between(1, 20'000);
  if (draw.chance(0.3)) link.receive_buffer = draw.between(1, 20'000);
  return link;
}

sim::ProcessOptions draw_process(Draw& draw) {
  sim::ProcessOptions options;
  options.eager = draw.chance(0.5);
  if (draw.chance(0.3)) options.turn_time = draw.time(Duration(), Duration::microseconds(200));
  return options;
}

std::string draw_settings(Draw& draw, const FleetPlan& plan) {
  std::string yaml;
  auto out = std::back_inserter(yaml);
  if (draw.chance(0.2)) {
    fmt::format_to(out, "    policy: {}\n    key: {}\n",
                   kKeyedPolicies[draw.between(0, kKeyedPolicies.size() - 1)],
                   kKeys[draw.between(0, kKeys.size() - 1)]);
  } else {
    fmt::format_to(
        out, "    policy: {}\n",
        draw.chance(0.5) ? kPolicies[0] : kPolicies[draw.between(0, kPolicies.size() - 1)]);
  }
  if (draw.chance(0.7)) {
    fmt::format_to(out,
                   "    ejection: {{ consecutive: {}, base: {}ms, longest: 8s, trial_timeout: "
                   "{}ms }}\n",
                   draw.between(1, 6), draw.between(200, 4000), draw.between(500, 4000));
  } else {
    yaml += "    ejection: off\n";
  }
  if (draw.chance(0.5)) {
    fmt::format_to(out, "    warmup: {}ms\n", draw.between(100, 5000));
  } else {
    yaml += "    warmup: off\n";
  }
  // Time for what is lost on the way to be sent again.
  const std::uint64_t slack = plan.link.loss > 0 ? 2000 : 0;
  fmt::format_to(out,
                 "    timeouts: {{ connect: {}ms, first_byte: {}ms, idle: {}ms, keep_alive: {}ms "
                 "}}\n",
                 draw.between(100, 2000) + slack, draw.between(500, 4000) + slack,
                 draw.between(500, 4000) + slack,
                 draw.chance(0.3) ? draw.between(20, 500) : 55'000);
  fmt::format_to(out, "    limits: {{ idle_connections_per_endpoint: {}{} }}\n",
                 draw.chance(0.3) ? draw.between(0, 2) : 64,
                 plan.in_flight_max > 0
                     ? fmt::format(", in_flight_per_endpoint: {}", plan.in_flight_max)
                     : std::string());
  return yaml;
}

void draw_faults(Draw& draw, FleetPlan& plan) {
  const auto kinds = draw.some<FaultKind>(0, kFaultKinds, 0.3);
  if (kinds.empty()) return;
  const std::uint64_t count = draw.between(0, 8);
  for (std::uint64_t i = 0; i < count; ++i) {
    Fault fault;
    fault.kind = kinds[draw.between(0, kinds.size() - 1)];
    fault.at = Time() + draw.time(ms(200), plan.faulty - ms(200));
    fault.until =
        std::min(fault.at + draw.time(ms(10), Duration::seconds(4)), Time() + plan.faulty);
    fault.target = static_cast<std::uint32_t>(draw.between(0, 1000));
    fault.amount = draw.fraction();
    plan.faults.push_back(fault);
  }
  std::ranges::sort(plan.faults, {}, [](const Fault& f) { return std::pair(f.at, f.until); });
}

}  // namespace

std::string_view to_string(Mischief mischief) {
  return kMischiefNames[static_cast<std::size_t>(mischief)];
}
std::string_view to_string(Manner manner) { return kMannerNames[static_cast<std::size_t>(manner)]; }
std::string_view to_string(FaultKind kind) { return kFaultNames[static_cast<std::size_t>(kind)]; }

FleetPlan calm_plan(std::uint64_t seed) {
  FleetPlan plan;
  plan.seed = seed;
  plan.settings = plan.next_settings = "    policy: peak_ewma\n";
  return plan;
}

FleetPlan draw_plan(std::uint64_t seed) {
  Draw draw(seed);
  FleetPlan plan = calm_plan(seed);
  plan.proxies = static_cast<std::uint32_t>(draw.between(1, 3));
  plan.workers = static_cast<std::uint32_t>(draw.between(1, 2));
  plan.endpoints = static_cast<std::uint32_t>(draw.between(1, 8));
  plan.clients = static_cast<std::uint32_t>(draw.between(1, 6));
  if (plan.endpoints > 1 && draw.chance(0.3)) plan.pools = 2;
  plan.rate = draw.chance(0.3) ? 20 + 50 * draw.fraction() : 100 + 300 * draw.fraction();
  plan.service = draw.time(Duration::microseconds(100), ms(8));
  plan.link = draw_link(draw);
  plan.proxy_process = draw_process(draw);
  plan.other_process = draw_process(draw);
  plan.mischiefs = draw.some<Mischief>(1, kMischiefs, 0.35);
  if (!plan.mischiefs.empty() && draw.chance(0.8)) plan.mischief = 0.3 * draw.fraction();
  plan.manners = draw.some<Manner>(1, kManners, 0.35);
  if (!plan.manners.empty() && draw.chance(0.8)) plan.manner = 0.6 * draw.fraction();
  plan.body_max = static_cast<std::uint32_t>(draw.chance(0.2) ? draw.between(20'000, 300'000)
                                                              : draw.between(0, 20'000));
  // A run of single bytes costs an event for each.
  if (plan.link.segment_max < 200) {
    plan.rate = std::min(plan.rate, 60.0);
    plan.body_max = std::min(plan.body_max, 1000u);
  }
  // Each full buffer costs a round trip.
  const std::size_t buffer = std::min(plan.link.send_buffer, plan.link.receive_buffer);
  plan.body_max = std::min(plan.body_max, static_cast<std::uint32_t>(8 * buffer));
  if (draw.chance(0.2)) plan.connections_max = static_cast<std::uint32_t>(draw.between(60, 200));
  plan.client_idle = draw.time(ms(1), Duration::seconds(3));
  if (draw.chance(0.3)) plan.in_flight_max = static_cast<std::uint32_t>(draw.between(20, 60));
  plan.settings = draw_settings(draw, plan);
  plan.next_settings = draw.chance(0.5) ? draw_settings(draw, plan) : plan.settings;
  if (plan.in_flight_max > 0) {
    // Once healed, requests of up to a second each fit into the limit.
    const std::uint32_t in_pool = plan.endpoints / plan.pools;
    plan.rate = std::min(plan.rate, static_cast<double>(plan.in_flight_max * in_pool));
  }
  draw_faults(draw, plan);
  return plan;
}

std::string FleetPlan::config_yaml(const std::vector<std::string>& endpoint_addresses,
                                   bool next) const {
  std::string yaml =
      "listeners: [{ address: 0.0.0.0:80 }]\n"
      "timeouts: { header: 3s, body_idle: 3s, send: 3s, keep_alive: 10s, drain: 3s }\n"
      "limits: { head_bytes: 16KiB }\n"
      "routes:\n";
  // What names no pool goes to the first.
  for (std::uint32_t pool = 0; pool < pools; ++pool) {
    yaml += fmt::format("  - {{ {}pool: pool{}, timeouts: {{ total: 20s }} }}\n",
                        pool > 0 ? fmt::format("match: {{ path: /{}/ }}, ", pool) : "", pool);
  }
  yaml += "pools:\n";
  for (std::uint32_t pool = 0; pool < pools; ++pool) {
    yaml += fmt::format("  pool{}:\n{}    endpoints:\n", pool, next ? next_settings : settings);
    std::string listed;
    for (std::size_t i = pool; i < endpoint_addresses.size(); i += pools) {
      const std::string line = "      - " + endpoint_addresses[i] + "\n";
      listed = next ? line + listed : listed + line;
    }
    yaml += listed;
  }
  return yaml;
}

std::string FleetPlan::summary() const {
  std::string kinds;
  for (const Fault& fault : faults) {
    const std::string_view name = to_string(fault.kind);
    if (kinds.find(name) == std::string::npos) kinds += fmt::format(", {}", name);
  }
  return fmt::format(
      "{} x {} workers, {} endpoints in {} pool(s), {} clients, {:.0f} requests/s, {} mischief(s) "
      "{:.0f} %, {} "
      "manner(s) {:.0f} %, {} fault(s){}",
      proxies, workers, endpoints, pools, clients, rate, mischiefs.size(), mischief * 100,
      manners.size(), manner * 100, faults.size(), kinds);
}

}  // namespace evener::lab::fleet
