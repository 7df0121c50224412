#include "io/accept_rest.h"

#include <fmt/format.h>

#include "io/socket.h"

namespace evener::io {

void AcceptRest::begin(Loop& loop, Timer& again, const Address& address, int error) {
  const Time now = loop.now();
  if (log_limit_.allow(now)) {
    log(LogLevel::kWarning,
        fmt::format(
            "accepting on {} rests for {} ms: {}; raise the descriptor limit (ulimit -n) or "
            "lower limits.connections ({} more times since the last line)",
            address.text(), kRest.ms(), errno_text(error), log_limit_.suppressed()));
  }
  loop.timers().arm(again, now + kRest);
}

}  // namespace evener::io
