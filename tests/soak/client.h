// Clients of the soak on a thread of their own: closed loops that send requests of mixed kinds and
// sizes, and abandon some at a random place. What is not abandoned must be answered to the octet.
#pragma once

#include <evener/rng.h>

#include <memory>
#include <string>

#include "service/loop_thread.h"

namespace evener::soak {

struct Tally {
  std::uint64_t requests = 0;
  std::uint64_t answered = 0;
  std::uint64_t abandoned = 0;
  std::uint64_t wrong = 0;
  std::uint64_t bytes = 0;
  std::string first_wrong;
  std::size_t running = 0;  // clients
};

class Clients {
 public:
  Clients(io::EngineKind engine, const io::Address& target, std::size_t count,
          std::uint64_t requests, std::uint64_t seed);
  ~Clients();
  Tally tally();

 private:
  struct State;
  std::unique_ptr<service::LoopThread> thread_;
  std::unique_ptr<State> state_;  // touched on the thread's loop only
};

}  // namespace evener::soak
