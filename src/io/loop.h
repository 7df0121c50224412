// Loop: one thread's turns. Waits in its engine, delivers completions, fires timers, runs posts.
//
// Owner and thread: the thread that runs it, which must also create it; only `post` and `stop` may
// be called from others. `now` is read once per turn, so a turn is one instant. Cost of a turn with
// nothing to do: one system call.
#pragma once

#include <evener/time.h>

#include <atomic>
#include <coroutine>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "io/buffer.h"
#include "io/engine.h"
#include "io/timer.h"

namespace evener::io {

// Something to run later in this turn or at the start of the next. Embedded in its owner, which may
// not be destroyed while it is queued.
struct Deferred {
  void (*run)(Deferred&);
  Deferred* next = nullptr;
  bool queued = false;
};

class Loop {
 public:
  using Post = std::move_only_function<void()>;

  static std::expected<std::unique_ptr<Loop>, std::string> create(EngineKind kind);
  // A loop over an engine made by `make`, such as a simulated network.
  using EngineMaker = std::move_only_function<std::expected<ChosenEngine, std::string>(Loop&)>;
  static std::expected<std::unique_ptr<Loop>, std::string> create(EngineMaker make);
  ~Loop();

  Time now() const { return now_; }
  // Turns until stop().
  void run();
  // One turn that waits until `until` at most.
  void turn(Time until = Time::never());
  // When this loop must turn again if nothing arrives: at once while work is deferred or posted, at
  // its earliest timer, or never. For whoever turns it from outside.
  Time next_turn() const;
  // Any thread. The current turn, or the next, is the last of `run`.
  void stop();
  // Any thread. Runs `work` in a later turn of this loop; posts of one thread keep their order.
  void post(Post work);

  void defer(Deferred& deferred);
  TimerHeap& timers() { return timers_; }
  BufferPool& buffers() { return buffers_; }
  StreamPtr open(const Address& peer) { return engine_->open(peer); }
  std::expected<ListenerPtr, std::string> listen(const Address& address,
                                                 const ListenOptions& options,
                                                 AcceptHandler on_accept) {
    return engine_->listen(address, options, std::move(on_accept));
  }
  // For engines: the turn's time, set before the turn's completions are delivered.
  void set_now(Time now) { now_ = now; }
  std::string_view engine_name() const { return engine_->name(); }
  // Why io_uring was not taken; empty when it was, or was not tried.
  const std::string& engine_note() const { return engine_note_; }

  // co_await: resumes in the first turn at or after `when`.
  auto sleep_until(Time when) { return Sleep(*this, when); }
  auto sleep(Duration d) { return Sleep(*this, now_ + d); }

 private:
  struct Sleep : Timer {
    Sleep(Loop& l, Time w)
        : Timer([](Timer& t) { static_cast<Sleep&>(t).handle.resume(); }), loop(l), at(w) {}
    bool await_ready() const { return at <= loop.now(); }
    void await_suspend(std::coroutine_handle<> h) {
      handle = h;
      loop.timers().arm(*this, at);
    }
    void await_resume() const {}
    Loop& loop;
    Time at;
    std::coroutine_handle<> handle;
  };

  Loop() = default;
  void run_deferred();
  void run_posts();

  Time now_;
  TimerHeap timers_;
  BufferPool buffers_;
  std::unique_ptr<Engine> engine_;
  std::string engine_note_;
  Deferred* deferred_head_ = nullptr;
  Deferred* deferred_tail_ = nullptr;

  std::mutex inbox_mutex_;
  std::vector<Post> inbox_;
  std::atomic<bool> inbox_full_ = false;
  std::atomic<bool> stopping_ = false;
};

}  // namespace evener::io
