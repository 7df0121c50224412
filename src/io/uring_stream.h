// UringStream: one TCP connection on the io_uring engine; UringListener: one listening socket.
//
// Owner: a StreamPtr or ListenerPtr; freed when the kernel has given back the last operation.
// Thread: the loop's. See stream.h for the contract.
#pragma once

#include <sys/socket.h>

#include <array>
#include <deque>
#include <optional>

#include "io/accept_rest.h"
#include "io/loop.h"
#include "io/uring_engine.h"

namespace evener::io {

class UringStream final : public Stream {
 public:
  UringStream(UringEngine& engine, Loop& loop, const Address& peer, Fd fd);
  ~UringStream() override = default;

  bool is_quiet() override;

 private:
  struct Op : UringOp {
    UringStream& stream;
    bool in_kernel = false;
    std::optional<IoStatus> why;  // what an early end means
  };

  bool start_connect() override;
  bool start_receive(std::size_t want) override;
  bool start_send(bool last) override;
  void interrupt(Ops ops, IoStatus why) override;
  void close() override;

  void submit_receive();
  void submit_send();
  void end_receive(int result, std::uint32_t flags);
  void end_send(int result);
  void end_op(Op& op);
  IoStatus status_of(Op& op, int result);

  UringEngine& engine_;
  Fd fd_;
  Op receive_op_;
  Op send_op_;
  Block* own_block_ = nullptr;  // the buffer of a receive that does not use the ring's
  std::size_t want_ = 0;
  bool ring_buffers_ = true;
  bool connecting_ = false;
  bool last_ = false;
  bool closing_ = false;
  msghdr message_{};
  std::array<iovec, ChunkList::kMax> vectors_{};
};

class UringListener final : public Listener {
 public:
  UringListener(UringEngine& engine, Loop& loop, ListeningSocket socket, AcceptHandler on_accept);
  ~UringListener() override;

  void pause() override;
  void resume() override;
  void stop() override;

 private:
  // Lives on after the listener until the kernel has ended its accept.
  struct Core : UringOp {
    Core(UringEngine& e, Loop& l, ListeningSocket s, AcceptHandler h);
    void arm();
    void stop();
    void accepted(int result, std::uint32_t flags);
    void hand_over(Fd accepted);

    struct RestTimer : Timer {
      explicit RestTimer(Core& c)
          : Timer([](Timer& t) { static_cast<RestTimer&>(t).core.arm(); }), core(c) {}
      Core& core;
    };

    UringEngine& engine;
    Loop& loop;
    Fd fd;
    Address address;
    AcceptHandler on_accept;
    std::deque<Fd> waiting;  // accepted by the kernel before it heard of a pause
    bool in_kernel = false;
    bool paused = false;
    bool closed = false;
    RestTimer rest_timer{*this};
    AcceptRest resting;
  };
  std::unique_ptr<Core> core_;
};

}  // namespace evener::io
