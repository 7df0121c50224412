// Event: a flag that one coroutine can wait for. Owner: whoever embeds it; one waiter at a time.
// Thread: one loop's. `set` resumes the waiter inside the call. Cost: two words.
#pragma once

#include <coroutine>
#include <utility>

#include "base/check.h"

namespace evener::io {

class Event {
 public:
  bool is_set() const { return set_; }
  void set() {
    set_ = true;
    if (auto waiter = std::exchange(waiter_, nullptr)) waiter.resume();
  }
  void clear() { set_ = false; }

  auto operator co_await() {
    struct Awaiter {
      Event& event;
      bool await_ready() const { return event.set_; }
      void await_suspend(std::coroutine_handle<> h) {
        EV_CHECK(!event.waiter_, "an Event has one waiter");
        event.waiter_ = h;
      }
      void await_resume() const {}
    };
    return Awaiter{*this};
  }

 private:
  bool set_ = false;
  std::coroutine_handle<> waiter_;
};

}  // namespace evener::io
