#include <string>
#include <vector>

#include "capi/handle.h"

using namespace evener;
using namespace evener::capi;

namespace {

evener_status to_status(const EndpointStatus& from, const Endpoint& endpoint) {
  evener_status out{};
  out.name = endpoint.name.c_str();
  out.id = static_cast<std::uint64_t>(from.id);
  out.weight = from.weight;
  out.flags = (from.up ? 0U : unsigned{EVENER_ENDPOINT_DOWN}) |
              (from.draining ? unsigned{EVENER_ENDPOINT_DRAINING} : 0U);
  out.zone = static_cast<std::uint32_t>(endpoint.zone);
  out.eligible = from.eligible ? 1 : 0;
  out.in_flight = from.in_flight;
  out.elsewhere = from.elsewhere;
  out.failures_in_row = from.failures_in_row;
  out.latency_ns = from.latency.ns();
  out.warm_up = from.warmup;
  out.success = from.success;
  out.cost = from.cost;
  out.picks = from.picks;
  out.successes = from.successes;
  out.failures = from.failures;
  out.cancelled = from.cancelled;
  out.rejected = from.rejected;
  out.overloaded = from.overloaded;
  out.connect_failed = from.connect_failed;
  put_text(from.reason, out.reason, sizeof out.reason);
  return out;
}

}  // namespace

std::size_t evener_explain(const evener_balancer* balancer, char* text, std::size_t size) noexcept {
  put_text("", text, size);
  if (balancer == nullptr) return 0;
  std::size_t length = 0;
  const evener_error error = guarded([&] {
    const std::string whole = to_string(balancer->balancer.explain());
    put_text(whole, text, size);
    length = whole.size();
    return EVENER_OK;
  });
  return error == EVENER_OK ? length : 0;
}

evener_error evener_snapshot(const evener_balancer* balancer, std::int64_t now_ns,
                             evener_status* out, std::size_t capacity, std::size_t status_size,
                             std::size_t* total) noexcept {
  if (total == nullptr) return EVENER_ERROR_ARGUMENT;
  *total = 0;
  if (balancer == nullptr || status_size == 0 || (out == nullptr && capacity > 0)) {
    return EVENER_ERROR_ARGUMENT;
  }
  return guarded([&] {
    std::vector<EndpointStatus> all;
    balancer->balancer.snapshot(Time::from_ns(now_ns), all);
    *total = all.size();
    auto* to = reinterpret_cast<unsigned char*>(out);
    for (std::size_t i = 0; i < std::min(capacity, all.size()); ++i, to += status_size) {
      const evener_status status = to_status(all[i], balancer->balancer.set()->endpoints()[i]);
      std::memset(to, 0, status_size);
      std::memcpy(to, &status, std::min(status_size, sizeof status));
    }
    return EVENER_OK;
  });
}

evener_error evener_save(const evener_balancer* balancer, std::int64_t now_ns, void* data,
                         std::size_t size, std::size_t* needed) noexcept {
  if (needed == nullptr) return EVENER_ERROR_ARGUMENT;
  *needed = 0;
  if (balancer == nullptr || (data == nullptr && size > 0)) return EVENER_ERROR_ARGUMENT;
  return guarded([&] {
    const std::string blob = balancer->balancer.save(Time::from_ns(now_ns));
    *needed = blob.size();
    if (blob.size() > size) return EVENER_ERROR_SIZE;
    std::memcpy(data, blob.data(), blob.size());
    return EVENER_OK;
  });
}

evener_error evener_restore(evener_balancer* balancer, std::int64_t now_ns, const void* data,
                            std::size_t size, char* error_text,
                            std::size_t error_text_size) noexcept {
  put_text("", error_text, error_text_size);
  if (balancer == nullptr || data == nullptr) return EVENER_ERROR_ARGUMENT;
  return guarded([&] {
    const auto restored =
        balancer->balancer.restore({static_cast<const char*>(data), size}, Time::from_ns(now_ns));
    if (restored) return EVENER_OK;
    put_text(restored.error().message, error_text, error_text_size);
    return EVENER_ERROR_INVALID;
  });
}
