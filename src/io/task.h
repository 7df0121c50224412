// Task<T>: a coroutine that starts when awaited and resumes its awaiter when done.
//
// Owner: the Task value holds the frame; destroying a Task that has not finished destroys the
// frame, so the thing it waits for must not resume it later (io operations are always ended by
// abort, never by destruction). Thread: one loop's. Cost: one pooled frame, two switches.
// `spawn` starts a Task<void> that owns itself and ends by itself; a Detached does so by its type.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "base/check.h"
#include "io/frame_pool.h"

namespace evener::io {

template <class T>
class Task;

namespace internal {

class PromiseBase {
 public:
  static void* operator new(std::size_t bytes) { return take_frame(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { give_frame(frame, bytes); }

  struct FinalAwaiter {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) noexcept {
      return done.promise().continuation_;
    }
    void await_resume() noexcept {}
  };

  std::suspend_always initial_suspend() noexcept { return {}; }
  FinalAwaiter final_suspend() noexcept { return {}; }
  // None of our code throws; bad_alloc or a bug ends the process here.
  void unhandled_exception() noexcept { std::terminate(); }

  std::coroutine_handle<> continuation_ = std::noop_coroutine();
};

template <class T>
class Promise : public PromiseBase {
 public:
  Task<T> get_return_object();
  void return_value(T value) { value_.emplace(std::move(value)); }
  T take() { return std::move(*value_); }

 private:
  std::optional<T> value_;
};

template <>
class Promise<void> : public PromiseBase {
 public:
  Task<void> get_return_object();
  void return_void() {}
  void take() {}
};

}  // namespace internal

template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = internal::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  auto operator co_await() && {
    struct Awaiter {
      Handle handle;
      bool await_ready() { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
        handle.promise().continuation_ = caller;
        return handle;
      }
      T await_resume() { return handle.promise().take(); }
    };
    return Awaiter{handle_};
  }

 private:
  Handle handle_;
};

// A coroutine that runs at once, up to its first wait, and frees itself when it ends.
struct Detached {
  struct promise_type {
    static void* operator new(std::size_t bytes) { return take_frame(bytes); }
    static void operator delete(void* frame, std::size_t bytes) noexcept {
      give_frame(frame, bytes);
    }
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

namespace internal {

template <class T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

inline Detached run_detached(Task<void> task) { co_await std::move(task); }

}  // namespace internal

// Runs `task` now, up to its first wait; it frees itself when it ends.
inline void spawn(Task<void> task) { internal::run_detached(std::move(task)); }

}  // namespace evener::io
