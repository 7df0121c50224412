#include "proxy/reason.h"

#include <array>

#include "base/check.h"

namespace evener::proxy {
namespace {

struct Row {
  std::string_view text;
  int status;
};

constexpr std::array<Row, kReasons> kRows{{
    {"none", 0},
    {"bad_request", 0},
    {"no_route", 404},
    {"header_timeout", 408},
    {"body_timeout", 408},
    {"body_too_large", 413},
    {"no_endpoint", 503},
    {"endpoints_full", 503},
    {"no_descriptors", 503},
    {"connect_refused", 502},
    {"unreachable", 502},
    {"endpoint_reset", 502},
    {"endpoint_closed", 502},
    {"bad_response", 502},
    {"connect_timeout", 504},
    {"first_byte_timeout", 504},
    {"total_timeout", 504},
    {"client_gone", 499},
    {"truncated", 0},
}};

}  // namespace

std::string_view to_string(Reason reason) { return kRows[static_cast<std::size_t>(reason)].text; }

int status_of(Reason reason) {
  const int status = kRows[static_cast<std::size_t>(reason)].status;
  EV_CHECK(status != 0, "this reason has no status of its own");
  return status;
}

}  // namespace evener::proxy
