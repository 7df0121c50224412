// EpollStream: one TCP connection on the epoll engine; EpollListener: one listening socket.
//
// Owner: a StreamPtr or ListenerPtr. Thread: the loop's. See stream.h for the contract.
#pragma once

#include <optional>

#include "io/accept_rest.h"
#include "io/epoll_engine.h"
#include "io/loop.h"

namespace evener::io {

class EpollStream final : public Stream, public EpollHandler {
 public:
  EpollStream(EpollEngine& engine, Loop& loop, const Address& peer);
  // Takes an accepted descriptor; false when the kernel can't watch it.
  bool adopt(Fd fd);
  ~EpollStream() override = default;

  void note(std::uint32_t events) override;
  void deliver() override;
  bool is_quiet() override;
  bool has_queued_work() const { return deferred_.queued; }

 private:
  // A stream that always has data ready gives way to the others after so many reads in a turn.
  static constexpr int kReadsPerTurn = 8;

  bool start_connect() override;
  bool start_receive(std::size_t want) override;
  bool start_send(bool last) override;
  void interrupt(Ops ops, IoStatus why) override;
  void close() override;

  bool try_receive(Received& result);
  bool flush();
  ssize_t send_some();
  void finish_connect();
  void run_deferred();
  void deliver_receive();

  struct Work : Deferred {
    EpollStream& stream;
  };

  EpollEngine& engine_;
  Fd fd_;
  Work deferred_;
  std::optional<IoStatus> interrupt_receive_;
  std::optional<IoStatus> interrupt_send_;
  std::size_t want_ = 0;
  std::uint64_t reads_turn_ = 0;
  int reads_ = 0;
  bool readable_ = false;
  bool ended_ = false;  // an end or error is known to be in the queue
  bool writable_ = true;
  bool connecting_ = false;
  bool last_ = false;
};

class EpollListener final : public Listener, public EpollHandler {
 public:
  EpollListener(EpollEngine& engine, Loop& loop, ListeningSocket socket, AcceptHandler on_accept);
  ~EpollListener() override;
  bool start() { return engine_.add(fd_.get(), EPOLLIN, *this); }

  void pause() override;
  void resume() override;
  void stop() override;
  void note(std::uint32_t) override {}
  void deliver() override;

 private:
  static constexpr int kAcceptsPerTurn = 64;

  void watch();
  void rest(int error);

  struct RestTimer : Timer {
    explicit RestTimer(EpollListener& l)
        : Timer([](Timer& t) { static_cast<RestTimer&>(t).listener.watch(); }), listener(l) {}
    EpollListener& listener;
  };

  EpollEngine& engine_;
  Loop& loop_;
  Fd fd_;
  AcceptHandler on_accept_;
  bool paused_ = false;
  bool watching_ = true;
  RestTimer rest_timer_;
  AcceptRest rest_;
};

}  // namespace evener::io
