// NetListener: a listening socket of a simulated process, with the queue its kernel keeps.
//
// Owner: a ListenerPtr. See io/engine.h for the contract.
#pragma once

#include <deque>

#include "io/accept_rest.h"
#include "sim/net/engine.h"

namespace evener::sim {

class NetListener final : public io::Listener, public NetHandler {
 public:
  NetListener(NetEngine& engine, io::Loop& loop, const io::Address& address,
              const io::ListenOptions& options, io::AcceptHandler on_accept);
  ~NetListener() override;

  void pause() override { paused_ = true; }
  void resume() override;
  void stop() override;

  void changed() override { engine_.ready(*this); }
  void deliver() override;

  NetEngine& engine() { return engine_; }
  bool stopped() const { return stopped_; }
  // As Linux: one more than the backlog fits.
  bool full() const { return queue_.size() > backlog_; }
  void enqueue(Connection& connection);
  // Its process has died: nobody will accept what waits.
  void forget_queue() { queue_.clear(); }

 private:
  struct RestTimer : io::Timer {
    explicit RestTimer(NetListener& l)
        : Timer([](io::Timer& t) { static_cast<RestTimer&>(t).listener.changed(); }), listener(l) {}
    NetListener& listener;
  };

  NetEngine& engine_;
  io::Loop& loop_;
  io::AcceptHandler on_accept_;
  std::size_t backlog_;
  std::deque<Connection*> queue_;
  bool paused_ = false;
  bool stopped_ = false;
  RestTimer rest_timer_;
  io::AcceptRest rest_;
};

}  // namespace evener::sim
