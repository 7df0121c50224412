#include <string>

#include "capi/handle.h"

namespace evener::capi {
namespace {

constexpr std::uint32_t kFlags = EVENER_ENDPOINT_DOWN | EVENER_ENDPOINT_DRAINING;

}  // namespace

evener_error make_set(const evener_endpoint* endpoints, std::size_t count, std::size_t size,
                      std::uint64_t version, std::uint32_t workers, EndpointSetPtr& out,
                      char* error_text, std::size_t error_text_size) {
  const auto refuse = [&](evener_error error, const std::string& why) {
    put_text(why, error_text, error_text_size);
    return error;
  };
  if ((endpoints == nullptr && count > 0) || size == 0) {
    return refuse(EVENER_ERROR_ARGUMENT, "expected an array of endpoints and their size");
  }
  if (count > EndpointSet::kEndpointsMax) {
    return refuse(EVENER_ERROR_INVALID, "a set holds at most " +
                                            std::to_string(EndpointSet::kEndpointsMax) +
                                            " endpoints, found " + std::to_string(count));
  }
  std::vector<Endpoint> all(count);
  const auto* at = reinterpret_cast<const unsigned char*>(endpoints);
  for (std::size_t i = 0; i < count; ++i, at += size) {
    evener_endpoint given;
    const bool known = take_struct(at, size, given);
    if (!known || given.name == nullptr || (given.flags & ~kFlags) != 0) {
      return refuse(EVENER_ERROR_ARGUMENT, "endpoint number " + std::to_string(i + 1) +
                                               ": expected a name and flags that are known");
    }
    all[i].name = given.name;
    all[i].id = given.id != 0 ? EndpointId{given.id} : endpoint_id(all[i].name);
    all[i].weight = given.weight;
    all[i].zone = ZoneId{given.zone};
    all[i].up = (given.flags & EVENER_ENDPOINT_DOWN) == 0;
    all[i].draining = (given.flags & EVENER_ENDPOINT_DRAINING) != 0;
  }
  auto made = EndpointSet::make(version, std::move(all), workers);
  if (!made) return refuse(EVENER_ERROR_INVALID, made.error().message);
  out = std::move(*made);
  return EVENER_OK;
}

}  // namespace evener::capi

using namespace evener;
using namespace evener::capi;

std::uint64_t evener_endpoint_id(const char* name) noexcept {
  return name == nullptr ? 0 : static_cast<std::uint64_t>(endpoint_id(name));
}

evener_error evener_set_create(const evener_endpoint* endpoints, std::size_t count,
                               std::size_t endpoint_size, std::uint32_t workers, evener_set** set,
                               char* error_text, std::size_t error_text_size) noexcept {
  put_text("", error_text, error_text_size);
  if (set == nullptr) return EVENER_ERROR_ARGUMENT;
  *set = nullptr;
  return guarded([&] {
    auto made = std::make_unique<evener_set>();
    const evener_error error = make_set(endpoints, count, endpoint_size, 1, workers, made->set,
                                        error_text, error_text_size);
    if (error == EVENER_OK) *set = made.release();
    return error;
  });
}

void evener_set_free(evener_set* set) noexcept { const std::unique_ptr<evener_set> last(set); }
