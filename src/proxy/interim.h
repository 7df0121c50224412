// Interim: 1xx responses on their way to the client, one at a time, and our own 100 when the
// endpoint stays silent while the client waits for leave to send its body (RFC 9110
// section 10.1.1).
//
// Owner: the Exchange. Thread: the worker's loop. REQUIRES: stop() or end() has ended it before
// anything else is sent to the client and before this is destroyed.
#pragma once

#include <string_view>

#include "io/event.h"
#include "io/timer.h"
#include "proxy/upload.h"

namespace evener::proxy {

class Interim {
 public:
  struct Timeouts {
    Duration client_send;
    Duration client_idle;
  };

  Interim(ClientConnection& client, const Upload& upload, Timeouts timeouts)
      : client_(client), upload_(upload), timeouts_(timeouts), timer_(*this) {}

  // From now on the client waits for 100; after kContinueWait it gets ours, unless it has begun.
  void await_continue();
  // False: the client must not see this status (a 100 that it has had, or has not asked for).
  bool wanted(int status, bool expected) const;
  // Sends the text of a 1xx response. False when the client can't be reached.
  io::Task<bool> send(int status, std::string_view text);
  // Starts nothing more. False: something is still on its way, then await end().
  bool stop() {
    timer_.disarm();
    return !running_;
  }
  io::Task<void> end();

 private:
  static constexpr Duration kContinueWait = Duration::seconds(1);

  struct Timer : io::Timer {
    explicit Timer(Interim& i);
    Interim& interim;
  };
  io::Task<void> send_continue();

  ClientConnection& client_;
  const Upload& upload_;
  Timeouts timeouts_;
  bool running_ = false;
  io::Event done_;
  bool continue_sent_ = false;
  Timer timer_;
};

}  // namespace evener::proxy
