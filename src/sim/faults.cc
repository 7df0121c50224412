#include "sim/faults.h"

#include <fmt/format.h>

namespace evener::sim {

std::string_view to_string(FaultKind kind) {
  switch (kind) {
    case FaultKind::kSlow:
      return "slow";
    case FaultKind::kPause:
      return "pause";
    case FaultKind::kErrors:
      return "errors";
    case FaultKind::kFastFail:
      return "fast_fail";
    case FaultKind::kRefuse:
      return "refuse";
    case FaultKind::kDead:
      return "dead";
    case FaultKind::kHang:
      return "hang";
    case FaultKind::kPartition:
      return "partition";
  }
  return "unknown";
}

std::expected<void, Error> check(const Fault& fault, std::uint32_t servers,
                                 std::uint32_t balancers) {
  const auto wrong = [&](std::string what) {
    return std::unexpected(Error{fmt::format("fault {}: {}", to_string(fault.kind), what)});
  };
  if (fault.servers.empty()) return wrong("expected at least one server, found none");
  for (const std::uint32_t server : fault.servers) {
    if (server >= servers) {
      return wrong(fmt::format("expected servers 0 to {}, found {}", servers - 1, server));
    }
  }
  for (const std::uint32_t balancer : fault.balancers) {
    if (balancer >= balancers) {
      return wrong(fmt::format("expected balancers 0 to {}, found {}", balancers - 1, balancer));
    }
  }
  if (!fault.balancers.empty() && fault.kind != FaultKind::kPartition) {
    return wrong("only a partition may name balancers");
  }
  if (!(fault.at_s >= 0 && fault.until_s > fault.at_s && fault.until_s <= 4e9)) {
    return wrong(fmt::format("expected 0 <= at < until <= 4e9 s, found {} and {}", fault.at_s,
                             fault.until_s));
  }
  if (fault.kind == FaultKind::kSlow && !(fault.value > 0 && fault.value <= 1000)) {
    return wrong(
        fmt::format("expected a factor of the speed above 0 and at most 1000, found {}; "
                    "for 0 use pause",
                    fault.value));
  }
  if (fault.kind == FaultKind::kErrors && !(fault.value >= 0 && fault.value <= 1)) {
    return wrong(fmt::format("expected a share from 0 to 1, found {}", fault.value));
  }
  if (fault.latency < Duration() || fault.retry_after < Duration()) {
    return wrong("expected times that are not negative");
  }
  if (fault.gap_s.has_value() != fault.length_s.has_value()) {
    return wrong("expected both gap and length, or neither");
  }
  if (fault.gap_s && !(fault.gap_s->mean() > 0 && fault.length_s->mean() > 0)) {
    return wrong("expected gap and length with means above 0");
  }
  return {};
}

}  // namespace evener::sim
