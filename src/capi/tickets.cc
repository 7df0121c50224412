#include <array>
#include <limits>

#include "capi/handle.h"

using namespace evener;
using namespace evener::capi;

namespace {

static_assert(EVENER_CONNECT_FAILED == static_cast<int>(Outcome::kConnectFailed));
static_assert(EVENER_OVERLOADED == static_cast<int>(Outcome::kOverloaded));
static_assert(EVENER_CONNECT_FAILED + 1 == kOutcomes);

evener_error to_error(PickError error) noexcept {
  switch (error) {
    case PickError::kNoEndpoints:
      return EVENER_ERROR_NO_ENDPOINTS;
    case PickError::kNoneEligible:
      return EVENER_ERROR_NONE_ELIGIBLE;
    case PickError::kAllTried:
      return EVENER_ERROR_ALL_TRIED;
    case PickError::kAllBusy:
      return EVENER_ERROR_ALL_BUSY;
  }
  return EVENER_ERROR_INTERNAL;
}

// A request of the caller's as ours; `tried` holds the identities.
using Tried = std::array<EndpointId, EVENER_TRIED_MAX>;
bool to_request(const evener_request* from, Tried& tried, PickRequest& out) noexcept {
  if (from == nullptr) return true;
  evener_request given;
  if (from->struct_size < sizeof from->struct_size ||
      !take_struct(from, from->struct_size, given)) {
    return false;
  }
  if (given.tried_count > tried.size() || (given.tried == nullptr && given.tried_count > 0)) {
    return false;
  }
  for (std::size_t i = 0; i < given.tried_count; ++i) tried[i] = EndpointId{given.tried[i]};
  out.tried = std::span(tried).first(given.tried_count);
  if (given.key != nullptr) {
    out.key = make_key({static_cast<const char*>(given.key), given.key_size});
  }
  return true;
}

EndpointReport to_report(double utilization, std::int64_t in_flight,
                         std::int64_t latency_ns) noexcept {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  EndpointReport report;
  if (utilization >= 0 && utilization <= std::numeric_limits<double>::max()) {
    report.utilization = utilization;
  }
  if (in_flight >= 0) report.in_flight = static_cast<std::uint32_t>(std::min(in_flight, kMost));
  if (latency_ns >= 0) report.latency = Duration::nanoseconds(latency_ns);
  return report;
}

}  // namespace

evener_error evener_pick(evener_balancer* balancer, std::int64_t now_ns,
                         const evener_request* request, evener_ticket* ticket) noexcept {
  if (balancer == nullptr || ticket == nullptr) return EVENER_ERROR_ARGUMENT;
  if (held(ticket)) return EVENER_ERROR_TICKET;
  Tried tried;
  PickRequest wanted{.now = Time::from_ns(now_ns)};
  if (!to_request(request, tried, wanted)) return EVENER_ERROR_ARGUMENT;
  auto picked = balancer->balancer.pick(wanted);
  if (!picked) return to_error(picked.error());
  hand_out(std::move(*picked), ticket);
  return EVENER_OK;
}

evener_error evener_pick_batch(evener_balancer* balancer, std::int64_t now_ns,
                               const evener_request* request, std::uint32_t probes,
                               evener_ticket* tickets, std::size_t count,
                               std::size_t* placed) noexcept {
  if (placed == nullptr) return EVENER_ERROR_ARGUMENT;
  *placed = 0;
  if (balancer == nullptr || tickets == nullptr || count > EVENER_BATCH_MAX) {
    return EVENER_ERROR_ARGUMENT;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (held(tickets + i)) return EVENER_ERROR_TICKET;
  }
  Tried tried;
  PickRequest wanted{.now = Time::from_ns(now_ns)};
  if (!to_request(request, tried, wanted)) return EVENER_ERROR_ARGUMENT;
  std::array<Ticket, EVENER_BATCH_MAX> picked;
  const auto result = balancer->balancer.pick_batch(wanted, probes, std::span(picked).first(count));
  if (!result) return to_error(result.error());
  for (std::size_t i = 0; i < *result; ++i) hand_out(std::move(picked[i]), tickets + i);
  *placed = *result;
  return EVENER_OK;
}

int evener_ticket_held(const evener_ticket* ticket) noexcept { return held(ticket) ? 1 : 0; }

std::uint64_t evener_ticket_id(const evener_ticket* ticket) noexcept {
  return held(ticket) ? static_cast<std::uint64_t>(inside(ticket).id()) : 0;
}

const char* evener_ticket_name(const evener_ticket* ticket) noexcept {
  return held(ticket) ? inside(ticket).endpoint().name.c_str() : nullptr;
}

evener_error evener_first_byte(evener_ticket* ticket, std::int64_t now_ns) noexcept {
  if (ticket == nullptr) return EVENER_ERROR_ARGUMENT;
  if (!held(ticket)) return EVENER_ERROR_TICKET;
  inside(ticket).first_byte(Time::from_ns(now_ns));
  return EVENER_OK;
}

evener_error evener_finish(evener_ticket* ticket, evener_outcome outcome, std::int64_t now_ns,
                           std::int64_t retry_after_ns) noexcept {
  if (ticket == nullptr || outcome < 0 || static_cast<std::size_t>(outcome) >= kOutcomes) {
    return EVENER_ERROR_ARGUMENT;
  }
  if (!held(ticket)) return EVENER_ERROR_TICKET;
  take_back(ticket).finish(static_cast<Outcome>(outcome), Time::from_ns(now_ns),
                           Duration::nanoseconds(retry_after_ns));
  return EVENER_OK;
}

void evener_drop(evener_ticket* ticket) noexcept {
  if (held(ticket)) static_cast<void>(take_back(ticket));
}

evener_error evener_ticket_report(evener_ticket* ticket, std::int64_t now_ns, double utilization,
                                  std::int64_t in_flight, std::int64_t latency_ns) noexcept {
  if (ticket == nullptr) return EVENER_ERROR_ARGUMENT;
  if (!held(ticket)) return EVENER_ERROR_TICKET;
  inside(ticket).report(to_report(utilization, in_flight, latency_ns), Time::from_ns(now_ns));
  return EVENER_OK;
}

evener_error evener_report(evener_balancer* balancer, std::uint64_t id, std::int64_t now_ns,
                           double utilization, std::int64_t in_flight,
                           std::int64_t latency_ns) noexcept {
  if (balancer == nullptr) return EVENER_ERROR_ARGUMENT;
  balancer->balancer.report(EndpointId{id}, to_report(utilization, in_flight, latency_ns),
                            Time::from_ns(now_ns));
  return EVENER_OK;
}
