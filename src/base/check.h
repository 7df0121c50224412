// EV_CHECK: stops the process when our own reasoning is wrong. Always on, in every build.
//
// For what cannot happen unless Evener has a bug; never for input, the network or the disk
// (those return errors). Thread: any. Cost: one predictable branch.
#pragma once

#include <string_view>

namespace evener {

[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               std::string_view message) noexcept;

}  // namespace evener

#define EV_CHECK(condition, message)                                     \
  do {                                                                   \
    if (!(condition)) [[unlikely]]                                       \
      ::evener::check_failed(__FILE__, __LINE__, #condition, (message)); \
  } while (false)
