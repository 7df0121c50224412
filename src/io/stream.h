// Stream: a connected byte stream with completion-style operations on borrowed buffers.
//
// Owner: one StreamPtr. Thread: its loop's. At most one receive and one send are pending at a time.
// A receive yields a Chunk from the loop's pool; a send takes chunks and gives them back to the
// pool when the last byte is with the kernel. One deadline covers whatever is pending: when it
// passes, pending operations end with kTimedOut and the deadline is cleared. `abort` ends them with
// kAborted, now and for ever, and resets the connection. Destroying the StreamPtr with an operation
// pending is allowed: nobody is resumed and the engine frees the rest.
//
// Completions are never delivered from inside abort, cancel_receive or set_deadline: a caller's
// state cannot change under its feet there.
// Cost: about 200 bytes while idle, no buffer; a receive that must wait costs no system call of its
// own.
#pragma once

#include <evener/time.h>

#include <coroutine>
#include <cstdint>
#include <memory>
#include <string_view>

#include "io/address.h"
#include "io/buffer.h"
#include "io/timer.h"

namespace evener::io {

class Loop;

enum class IoStatus : std::uint8_t {
  kOk,
  kEof,            // the other side ended its direction in good order
  kReset,          // the connection broke
  kTimedOut,       // the stream's deadline passed
  kAborted,        // abort() was called on this side
  kCancelled,      // cancel_receive() was called
  kRefused,        // connect: nobody listens there
  kUnreachable,    // connect: no route, or the network says no
  kNoDescriptors,  // the process or the system is out of descriptors
};
std::string_view to_string(IoStatus status);

// What waits for an operation: an intrusive callback, so that an idle connection needs no
// coroutine.
struct Waiter {
  void (*done)(Waiter&);
};

// The same for a suspended coroutine.
struct CoroutineWaiter : Waiter {
  CoroutineWaiter() : Waiter{[](Waiter& w) { static_cast<CoroutineWaiter&>(w).handle.resume(); }} {}
  std::coroutine_handle<> handle;
};

struct Received {
  IoStatus status = IoStatus::kOk;
  Chunk chunk;  // not empty exactly when status is kOk
};

enum class Ops : std::uint8_t { kReceive, kAll };

class Stream {
 public:
  struct Release {
    void operator()(Stream* stream) const noexcept { stream->release(); }
  };

  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // co_await: IoStatus. REQUIRES: made by Loop::open, nothing else done yet.
  auto connect() { return ConnectAwaiter{*this}; }
  // co_await: Received. Asks for up to `want` bytes: more than kSmallBlock says that a long body
  // flows. If a receive is pending already (armed by a callback), takes that one over.
  auto receive(std::size_t want = kSmallBlock) { return ReceiveAwaiter{*this, want}; }
  // co_await: IoStatus, kOk when all bytes are with the kernel. `last` ends our direction after
  // them.
  // The list is taken from the caller's, which lives until the await is over.
  auto send(ChunkList&& chunks, bool last = false) { return SendAwaiter{*this, chunks, last}; }

  // Arms a receive for a callback. True: it is complete already (take_received), `waiter` is not
  // called.
  bool arm_receive(Waiter& waiter, std::size_t want);
  // Leaves a pending receive armed but tells nobody; its completion then waits for take_received.
  void forget_receive() { receive_waiter_ = nullptr; }
  bool receive_pending() const { return receive_pending_; }
  // A receive has completed and nobody has taken it yet.
  bool has_received() const { return received_ready_; }
  Received take_received();

  void set_deadline(Time deadline);
  Time deadline() const { return deadline_; }
  void abort();
  bool aborted() const { return aborted_; }
  // Ends a pending receive with kCancelled, or with its data when that came first.
  void cancel_receive();

  // True when nothing has arrived, no end and no error: asks the kernel, one system call.
  virtual bool is_quiet() = 0;

  const Address& peer() const { return peer_; }
  Loop& loop() const { return loop_; }
  std::uint64_t bytes_received() const { return bytes_received_; }
  std::uint64_t bytes_sent() const { return bytes_sent_; }

 protected:
  Stream(Loop& loop, const Address& peer);
  virtual ~Stream() = default;

  // Each start returns true when the operation is complete already, with its result put into
  // received_ or sent_; else the engine calls complete_* later, once.
  virtual bool start_connect() = 0;
  virtual bool start_receive(std::size_t want) = 0;
  virtual bool start_send(bool last) = 0;  // sends outgoing_
  // Ends what is pending with `why`, later in this turn. `reset` asks for a connection reset.
  virtual void interrupt(Ops ops, IoStatus why) = 0;
  // The owner is gone: free this object as soon as the kernel holds nothing of it.
  virtual void close() = 0;

  void complete_receive(IoStatus status, Chunk chunk);
  void complete_send(IoStatus status);
  void store_received(IoStatus status, Chunk chunk);

  Loop& loop_;
  Address peer_;
  ChunkList outgoing_;
  Received received_;
  IoStatus sent_ = IoStatus::kOk;
  bool receive_pending_ = false;
  bool send_pending_ = false;  // a connect counts as a send
  bool received_ready_ = false;
  bool aborted_ = false;
  std::uint64_t bytes_received_ = 0;
  std::uint64_t bytes_sent_ = 0;

 private:
  struct ConnectAwaiter : CoroutineWaiter {
    explicit ConnectAwaiter(Stream& s) : stream(s) {}
    bool await_ready() const { return false; }
    bool await_suspend(std::coroutine_handle<> h) {
      handle = h;
      return !stream.arm_connect(*this);
    }
    IoStatus await_resume() const { return stream.sent_; }
    Stream& stream;
  };
  struct ReceiveAwaiter : CoroutineWaiter {
    ReceiveAwaiter(Stream& s, std::size_t n) : stream(s), want(n) {}
    bool await_ready() const { return false; }
    bool await_suspend(std::coroutine_handle<> h) {
      handle = h;
      return !stream.arm_receive(*this, want);
    }
    Received await_resume() { return stream.take_received(); }
    Stream& stream;
    std::size_t want;
  };
  struct SendAwaiter : CoroutineWaiter {
    SendAwaiter(Stream& s, ChunkList& c, bool l) : stream(s), chunks(c), last(l) {}
    bool await_ready() const { return false; }
    bool await_suspend(std::coroutine_handle<> h) {
      handle = h;
      return !stream.arm_send(*this, chunks, last);
    }
    IoStatus await_resume() const { return stream.sent_; }
    Stream& stream;
    ChunkList& chunks;
    bool last;
  };
  bool arm_connect(Waiter& waiter);
  bool arm_send(Waiter& waiter, ChunkList& chunks, bool last);
  void arm_timer_if_needed();
  void release() noexcept;

  Waiter* receive_waiter_ = nullptr;
  Waiter* send_waiter_ = nullptr;
  Time deadline_ = Time::never();
  struct DeadlineTimer : Timer {
    explicit DeadlineTimer(Stream& s);
    Stream& stream;
  } timer_;
};

using StreamPtr = std::unique_ptr<Stream, Stream::Release>;

}  // namespace evener::io
