// Engine: what a Loop needs from the operating system, or from a simulated network.
//
// Owner: the Loop. Thread: the loop's, but for `wake`. `epoll` works on every Linux; `uring` needs
// a kernel and a container profile that allow io_uring, found out by trying (choose_engine).
#pragma once

#include <evener/time.h>

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "io/stream.h"

namespace evener::io {

class Loop;

enum class EngineKind : std::uint8_t { kAuto, kEpoll, kUring };

// A listening socket. Destroying it stops accepting and closes the socket; connections in the
// kernel's queue then are reset, so `stop` first when that matters.
class Listener {
 public:
  virtual ~Listener() = default;
  // While paused, connections wait in the kernel's queue.
  virtual void pause() = 0;
  virtual void resume() = 0;
  // Lets no new connection begin, and hands over in the next turns what waits in the kernel's queue
  // or is in mid-handshake, also when paused. Destroy it some time later: then connects are
  // refused.
  virtual void stop() = 0;
  const Address& address() const { return address_; }

 protected:
  Address address_;
};
using ListenerPtr = std::unique_ptr<Listener>;
using AcceptHandler = std::move_only_function<void(StreamPtr)>;

struct ListenOptions {
  int backlog = 1024;
  bool reuse_port = false;  // several workers on one address
};

class Engine {
 public:
  virtual ~Engine() = default;
  // Waits for completions until `until` at the latest, sets the loop's time and delivers them.
  virtual void turn(Time until) = 0;
  // Ends a wait in `turn` from any thread.
  virtual void wake() noexcept = 0;
  virtual StreamPtr open(const Address& peer) = 0;
  virtual std::expected<ListenerPtr, std::string> listen(const Address& address,
                                                         const ListenOptions& options,
                                                         AcceptHandler on_accept) = 0;

  std::string_view name() const { return name_; }

 protected:
  explicit Engine(std::string_view name) : name_(name) {}

 private:
  std::string_view name_;
};

struct ChosenEngine {
  std::unique_ptr<Engine> engine;
  std::string note;  // why io_uring was not taken, when it was asked for or tried; else empty
};
// Makes the engine for `loop`. kAuto tries uring, then epoll; kUring fails when it can't be had.
std::expected<ChosenEngine, std::string> choose_engine(Loop& loop, EngineKind kind);

std::expected<std::unique_ptr<Engine>, std::string> make_epoll_engine(Loop& loop);
std::expected<std::unique_ptr<Engine>, std::string> make_uring_engine(Loop& loop);

}  // namespace evener::io
