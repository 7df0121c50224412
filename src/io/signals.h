// SignalWatcher: turns process signals into calls on a loop.
//
// Owner: main; made before any other thread starts, since it blocks the signals in all of them.
// The callback runs on the loop's thread. Cost: one waiting thread.
#pragma once

#include <functional>
#include <initializer_list>
#include <thread>

#include "io/loop.h"
#include "io/socket.h"

namespace evener::io {

class SignalWatcher {
 public:
  SignalWatcher(Loop& loop, std::initializer_list<int> signals, std::function<void(int)> on_signal);
  ~SignalWatcher();
  SignalWatcher(const SignalWatcher&) = delete;
  SignalWatcher& operator=(const SignalWatcher&) = delete;

 private:
  Fd signal_fd_;
  Fd stop_fd_;
  std::jthread thread_;
};

}  // namespace evener::io
