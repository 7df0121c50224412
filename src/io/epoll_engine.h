// The epoll engine: edge-triggered readiness turned into completions.
//
// Owner: its Loop. Thread: the loop's, but for wake. A descriptor is registered once for everything
// and never again; reads and writes are tried at once and wait only when the kernel says so. First
// all events of a turn are noted, then delivered, so that a handler already sees what else arrived
// in the same turn. Cost: see facts of the bench; four system calls per proxied small request.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <vector>

#include "io/engine.h"
#include "io/socket.h"

namespace evener::io {

class EpollStream;

// A registered descriptor's side of the engine.
class EpollHandler {
 public:
  virtual void note(std::uint32_t events) = 0;
  virtual void deliver() = 0;

 protected:
  ~EpollHandler() = default;
};

class EpollEngine final : public Engine {
 public:
  static std::expected<std::unique_ptr<Engine>, std::string> make(Loop& loop);
  ~EpollEngine() override;

  void turn(Time until) override;
  void wake() noexcept override;
  StreamPtr open(const Address& peer) override;
  std::expected<ListenerPtr, std::string> listen(const Address& address,
                                                 const ListenOptions& options,
                                                 AcceptHandler on_accept) override;

  StreamPtr adopt(Fd fd, const Address& peer);
  // False with errno set when the kernel refuses.
  bool add(int fd, std::uint32_t events, EpollHandler& handler);
  void change(int fd, std::uint32_t events, EpollHandler& handler);
  // No event of the current turn reaches `handler` any more. Its descriptor is closed by the owner.
  void forget(EpollHandler& handler);
  // Frees `stream` when nothing can refer to it: at the start of a later turn.
  void bury(EpollStream& stream);
  std::uint64_t turn_number() const { return turn_number_; }

 private:
  static constexpr std::size_t kBatch = 512;

  EpollEngine(Loop& loop, Fd epoll, Fd wake_fd);
  int wait(Time until);
  void free_buried();

  Loop& loop_;
  Fd epoll_;
  Fd wake_fd_;
  bool precise_ = true;
  std::uint64_t turn_number_ = 0;
  std::size_t batch_size_ = 0;
  std::array<epoll_event, kBatch> batch_{};
  std::vector<EpollStream*> buried_;
};

}  // namespace evener::io
