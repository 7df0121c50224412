// NetEngine: a process on a host of the simulated network, as the engine of its one loop.
//
// The third engine of io/: the same contract as epoll and io_uring, on virtual time. The world
// turns the loop when something has arrived, a timer is due or work was posted; nothing else moves
// time. A process can be frozen (its kernel goes on, it does not turn) and killed. Each turn may
// take time, in which what arrives waits for the next one.
// Owner: its Loop. The Network and the World outlive it. One thread.
#pragma once

#include <vector>

#include "io/loop.h"
#include "sim/net/network.h"

namespace evener::sim {

class NetStream;

// What changed() puts on the engine's list.
class NetHandler : public SocketOwner {
 public:
  virtual void deliver() = 0;

 protected:
  ~NetHandler() = default;
};

struct ProcessOptions {
  // Receives and sends that can be done at once are: as with epoll. Else they end in a later turn,
  // as with io_uring.
  bool eager = true;
  std::size_t descriptors_max = 1'000'000;
  Duration turn_time = {};  // how long a turn takes
};

class NetEngine final : public io::Engine, public Actor {
 public:
  NetEngine(io::Loop& loop, Network& network, HostId host, ProcessOptions options);
  ~NetEngine();
  // A loop that runs as a process on `host`; the engine is found in `engine`.
  static std::unique_ptr<io::Loop> make_loop(Network& network, HostId host,
                                             const ProcessOptions& options, NetEngine*& engine);

  void turn(Time until) override;
  void wake() noexcept override;
  io::StreamPtr open(const io::Address& peer) override;
  std::expected<io::ListenerPtr, std::string> listen(const io::Address& address,
                                                     const io::ListenOptions& options,
                                                     io::AcceptHandler on_accept) override;

  // ---- faults
  void freeze_until(Time when) { frozen_until_ = when; }
  Time frozen_until() const { return frozen_until_; }
  // As if the process ended here: all peers see resets. Its objects still have to be taken down,
  // and notice that everything is broken.
  void kill();
  bool dead() const { return dead_; }
  ProcessOptions& options() { return options_; }

  // ---- for streams and listeners
  Network& network() { return network_; }
  HostId host() const { return host_; }
  bool eager() const { return options_.eager; }
  void ready(NetHandler& handler);
  void forget(NetHandler& handler);
  void bury(NetStream& stream);
  // False when out of descriptors.
  bool take_descriptor();
  void give_descriptor() { --descriptors_; }
  std::size_t descriptors() const { return descriptors_; }
  // After each turn.
  std::function<void()> on_turn;

 private:
  void fire(std::uint64_t) override;
  void turn_at(Time when);
  void free_buried();

  io::Loop& loop_;
  Network& network_;
  HostId host_;
  ProcessOptions options_;
  std::vector<NetHandler*> ready_;
  std::vector<NetHandler*> batch_;
  std::vector<NetStream*> buried_;
  std::size_t descriptors_ = 0;
  EventId event_ = EventId::kNone;
  Time event_at_ = Time::never();
  Time busy_until_;
  Time frozen_until_;
  bool dead_ = false;
};

}  // namespace evener::sim
