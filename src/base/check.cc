#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace evener {

void check_failed(const char* file, int line, const char* condition,
                  std::string_view message) noexcept {
  std::fprintf(stderr, "evener: internal error at %s:%d: %s: %.*s\n", file, line, condition,
               static_cast<int>(message.size()), message.data());
  std::abort();
}

}  // namespace evener
