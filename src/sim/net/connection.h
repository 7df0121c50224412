// Connection: one TCP connection of the simulated network, with what both kernels hold of it.
//
// Each side has the half that an application sees as a socket: write, shut, read, close. Bytes
// written wait in the send buffer, travel as segments, wait in the receive buffer. Closing with
// bytes unread, or by force, sends a reset in place of an end, as Linux does; bytes that come for a
// closed side are answered by one. What had arrived before a reset can still be read.
// Owner: its Network, which frees it when both sides are closed and nothing of it travels any more.
// One thread. Cost: one event of the world per segment, end or reset, and one per wait for room.
#pragma once

#include <evener/rng.h>

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>

#include "io/address.h"
#include "sim/net/byte_queue.h"
#include "sim/net/link.h"
#include "sim/world.h"

namespace evener::sim {

class Network;
class NetEngine;
class NetListener;
enum class HostId : std::uint32_t {};

enum class Side : std::uint8_t { kClient, kServer };
constexpr Side other(Side side) { return side == Side::kClient ? Side::kServer : Side::kClient; }

// Who waits on a side: told that something about it has changed.
class SocketOwner {
 public:
  virtual void changed() = 0;

 protected:
  ~SocketOwner() = default;
};

enum class ConnectState : std::uint8_t { kConnecting, kOpen, kRefused, kUnreachable, kTimedOut };

class Connection final : public Actor {
 public:
  struct Party {
    HostId host{};
    io::Address address;
  };

  // Sends the first packet from the client at once.
  Connection(Network& network, std::uint32_t number, const Party& client, const Party& server,
             Rng luck);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  std::uint32_t number() const { return number_; }
  const Party& party(Side side) const { return parties_[index(side)]; }
  // Null: nobody is told.
  void set_owner(Side side, SocketOwner* owner) { ends_[index(side)].owner = owner; }
  // Which process holds the side; for the network's faults. Null while it waits to be accepted.
  void set_engine(Side side, NetEngine* engine) { ends_[index(side)].engine = engine; }
  NetEngine* engine(Side side) const { return ends_[index(side)].engine; }

  ConnectState connect_state() const { return connect_state_; }
  // How many of the bytes fit into the send buffer; 0 when it is full. REQUIRES: open, not shut.
  std::size_t write(Side side, std::span<const char> bytes);
  // Our direction ends after what was written.
  void shut(Side side);
  std::size_t readable(Side side) const { return incoming(side).arrived; }
  // REQUIRES: n <= readable(side).
  void read(Side side, char* to, std::size_t n);
  // All was read, and the other side has ended its direction.
  bool at_end(Side side) const { return incoming(side).ended && incoming(side).arrived == 0; }
  bool broken(Side side) const { return ends_[index(side)].broken; }
  bool closed(Side side) const { return ends_[index(side)].closed; }
  // By a reset if `force`, if bytes are unread or the connection is broken; else in good order.
  void close(Side side, bool force);
  // A reset from the middle of the network, or the death of the process: both sides get one.
  void cut();
  // The process that held `side` has died: the other side is sent a reset.
  void die(Side side);
  // The way between the hosts may be open again: what waited for it is sent again.
  void way_changed();

  void fire(std::uint64_t payload) override;
  // Nobody holds it and nothing of it is under way.
  bool finished() const;
  // The next draw of its luck: the same in two runs of a seed.
  std::uint64_t luck_left() { return luck_.u64(); }

  // The listener that has it, from the first packet until it is accepted.
  NetListener* listener() const { return listener_; }
  void accepted(NetEngine& by) {
    listener_ = nullptr;
    set_engine(Side::kServer, &by);
  }
  void listener_gone();

 private:
  friend class Network;
  enum class What : std::uint8_t { kSyn, kSynAck, kAck, kRefusal, kArrival, kRoom, kFree };
  enum class Kind : std::uint8_t { kData, kEnd, kReset };
  struct Segment {
    std::uint32_t bytes;
    Kind kind;
  };
  // One direction, named by its sender.
  struct Direction {
    ByteQueue bytes;          // written and not read, in order
    std::size_t waiting = 0;  // of these: not sent yet
    std::size_t travelling = 0;
    std::size_t arrived = 0;
    std::deque<Segment> segments;  // under way
    Time last_arrival;
    Time line_free;             // the sender's line, when it has a limited rate
    std::uint32_t stalled = 0;  // segments that found the way closed
    bool shut = false;          // by the sender
    bool end_sent = false;
    bool ended = false;       // the end has arrived
    bool room_event = false;  // the sender learns soon that there is room
    bool free_event = false;  // the same for its send buffer
    bool wants_room = false;  // the writer waits for room in its send buffer
  };
  struct End {
    SocketOwner* owner = nullptr;
    NetEngine* engine = nullptr;
    bool exists = false;
    bool closed = false;
    bool broken = false;
    bool reset_sent = false;
  };

  static std::size_t index(Side side) { return static_cast<std::size_t>(side); }
  Direction& outgoing(Side side) { return directions_[index(side)]; }
  Direction& incoming(Side side) { return directions_[index(other(side))]; }
  const Direction& incoming(Side side) const { return directions_[index(other(side))]; }
  End& end(Side side) { return ends_[index(side)]; }
  const Link& link(Side sender) const;
  bool way_is_open(Side sender) const;

  void send_syn();
  void syn_arrived();
  void syn_ack_arrived();
  void ack_arrived();
  void connect_failed(ConnectState state);
  void transmit(Side sender);
  void launch(Side sender, Segment segment);
  Duration delay(Side sender, std::size_t bytes);
  void arrived(Side sender);
  void deliver(Side sender, Segment segment);
  void send_reset(Side sender);
  void break_side(Side side);
  void schedule(Time when, What what, Side side);
  void tell(Side side) {
    if (SocketOwner* owner = end(side).owner) owner->changed();
  }
  void trace(std::string_view what, Side side, std::size_t bytes = 0);

  Network& network_;
  std::uint32_t number_;
  std::array<Party, 2> parties_;
  std::array<Direction, 2> directions_;
  std::array<End, 2> ends_;
  Rng luck_;
  ConnectState connect_state_ = ConnectState::kConnecting;
  NetListener* listener_ = nullptr;
  bool queued_ = false;  // by the listener, to be accepted
  bool doomed_ = false;  // on the network's list of what to free
  int syns_ = 0;
  std::uint32_t events_ = 0;  // asked for and not fired
};

}  // namespace evener::sim
