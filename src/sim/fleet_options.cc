#include "sim/fleet_options.h"

#include <fmt/format.h>

#include <cmath>

namespace evener::sim {
namespace {

using Checked = std::expected<void, Error>;

constexpr std::uint32_t kServersMax = 1'000'000;
constexpr std::uint32_t kBalancersMax = 10'000;

template <typename... T>
std::unexpected<Error> wrong(fmt::format_string<T...> text, T&&... values) {
  return std::unexpected(Error{fmt::format(text, std::forward<T>(values)...)});
}

Checked check_servers(const FleetOptions& options) {
  std::uint64_t total = 0;
  for (const ServerGroup& group : options.servers) {
    total += group.count;
    const ServerSpec& spec = group.spec;
    if (!(spec.speed > 0 && spec.speed <= 1e6)) {
      return wrong("speed: expected above 0 and at most 1e6, found {}", spec.speed);
    }
    if (spec.slots < 1 || spec.slots > 1'000'000) {
      return wrong("slots: expected 1 to 1000000, found {}", spec.slots);
    }
    if (spec.limit < 1) return wrong("limit: expected at least 1 request, found 0");
    if (!(group.weight >= EndpointSet::kWeightMin && group.weight <= EndpointSet::kWeightMax)) {
      return wrong("weight: expected {} to {}, found {}", EndpointSet::kWeightMin,
                   EndpointSet::kWeightMax, group.weight);
    }
    if (group.cold < Duration() || !(group.cold_floor > 0 && group.cold_floor <= 1)) {
      return wrong(
          "cold: expected a time that is not negative and a floor in (0, 1], found {} s, {}",
          group.cold.to_seconds(), group.cold_floor);
    }
  }
  if (total < 1 || total > kServersMax) {
    return wrong("servers: expected 1 to {}, found {}", kServersMax, total);
  }
  return {};
}

Checked check_end(const FleetOptions& options) {
  const bool trace = options.arrivals.kind == Arrivals::Kind::kTrace;
  if (options.calls == 0 && options.until_s == 0 && !trace) {
    return wrong("end: expected a number of calls or a time, found neither: it would never end");
  }
  if (!(options.until_s >= 0 && options.until_s <= 1e9 && options.drain_s >= 0 &&
        options.drain_s <= 1e9)) {
    return wrong("end: expected times from 0 to 1e9 s, found until {} and drain {}",
                 options.until_s, options.drain_s);
  }
  if (options.calls != 0 && options.warm_up_calls >= options.calls) {
    return wrong("warm-up: expected fewer than the {} calls, found {}; nothing would be measured",
                 options.calls, options.warm_up_calls);
  }
  if (options.until_s != 0 && options.warm_up_s >= options.until_s) {
    return wrong("warm-up: expected less than the {} s, found {}; nothing would be measured",
                 options.until_s, options.warm_up_s);
  }
  if (options.out_max < 1) return wrong("out_max: expected at least 1, found 0");
  return {};
}

Checked check_traffic(const FleetOptions& options) {
  if (auto ok = options.arrivals.check(); !ok) return ok;
  if (options.arrivals.kind == Arrivals::Kind::kClosed && options.calls == 0 &&
      options.arrivals.think.is_zero() && options.work.is_zero()) {
    return wrong(
        "closed loop: users that do not think and work that takes no time: time would stand "
        "still; give one of them a length");
  }
  if (options.timeout < Duration() || options.tick_every < Duration() ||
      options.retry.backoff < Duration() || options.series_every_s < 0) {
    return wrong("time-out, tick, back-off and series: expected times that are not negative");
  }
  constexpr std::uint32_t most = RetrySettings::kAttemptsMax;
  if (options.retry.attempts < 1 || options.retry.attempts > most) {
    return wrong("attempts: expected 1 to {}, found {}", most, options.retry.attempts);
  }
  if (options.hedge.on && options.retry.attempts == most) {
    return wrong("attempts: expected at most {} with hedges, found {}", most - 1, most);
  }
  if (options.hedge.after < Duration()) return wrong("hedge: expected a time that is not negative");
  if (auto ok = check_settings(options.hedge.settings); options.hedge.on && !ok) return ok;
  return check_settings(options.retry.budget);
}

Checked check_events(const FleetOptions& options) {
  const std::uint32_t servers = server_count(options);
  for (const Fault& fault : options.faults) {
    if (auto ok = check(fault, servers, options.balancers); !ok) return ok;
    const bool loses = fault.kind == FaultKind::kHang || fault.kind == FaultKind::kPartition;
    if (loses && options.timeout == Duration()) {
      return wrong("fault {}: nobody answers, so calls need a time-out; set one",
                   to_string(fault.kind));
    }
  }
  for (const Rollout& rollout : options.rollouts) {
    if (!(rollout.at_s >= 0 && rollout.apart_s >= 0 && rollout.notice_s >= 0)) {
      return wrong("roll-out: expected times that are not negative");
    }
    for (const std::uint32_t server : rollout.servers) {
      if (server >= servers) {
        return wrong("roll-out: expected servers 0 to {}, found {}", servers - 1, server);
      }
    }
  }
  return {};
}

}  // namespace

std::uint32_t server_count(const FleetOptions& options) {
  std::uint32_t count = 0;
  for (const ServerGroup& group : options.servers) count += group.count;
  return count;
}

std::expected<void, Error> check(const FleetOptions& options) {
  if (auto ok = check_servers(options); !ok) return ok;
  if (options.balancers < 1 || options.balancers > kBalancersMax) {
    return wrong("balancers: expected 1 to {}, found {}", kBalancersMax, options.balancers);
  }
  if (options.board && options.balancers > EndpointSet::kWorkersMax) {
    return wrong("board: expected at most {} balancers, found {}", EndpointSet::kWorkersMax,
                 options.balancers);
  }
  if (options.chooser == nullptr) return wrong("chooser: expected one, found none");
  if (auto ok = check_traffic(options); !ok) return ok;
  if (auto ok = check_events(options); !ok) return ok;
  return check_end(options);
}

}  // namespace evener::sim
