// Endpoints of the soak on a thread of their own: "/ID/SIZE/KIND" is answered with SIZE octets of
// body ID, chunked when KIND is "c"; a request body that is not what ID says is answered with 500.
#pragma once

#include <memory>
#include <vector>

#include "service/loop_thread.h"

namespace evener::soak {

class Endpoints {
 public:
  Endpoints(io::EngineKind engine, std::size_t count);
  ~Endpoints();
  const std::vector<io::Address>& addresses() const { return addresses_; }

 private:
  struct State;
  std::vector<io::Address> addresses_;
  std::unique_ptr<service::LoopThread> thread_;
  std::shared_ptr<State> state_;  // touched on the thread's loop only
};

}  // namespace evener::soak
