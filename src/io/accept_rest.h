// AcceptRest: accepting waits a little when the process is out of descriptors, instead of spinning,
// and says so at most once a second (case F53).
//
// Owner: a listener of either engine. Thread: the loop's.
#pragma once

#include "base/log.h"
#include "io/loop.h"

namespace evener::io {

class AcceptRest {
 public:
  static constexpr Duration kRest = Duration::milliseconds(100);

  // Arms `again` for the end of the rest. `error`: the errno of accept.
  void begin(Loop& loop, Timer& again, const Address& address, int error);

 private:
  LogLimit log_limit_{Duration::seconds(1)};
};

}  // namespace evener::io
