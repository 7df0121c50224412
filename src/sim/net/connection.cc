#include "sim/net/connection.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "sim/net/engine.h"
#include "sim/net/listener.h"
#include "sim/net/network.h"

namespace evener::sim {
namespace {

// As Linux: the first packet is sent again after 1, 3, 7 ... seconds, and given up in the end.
constexpr int kSynsMax = 6;
constexpr Duration kSynWait = Duration::seconds(1);
// When a way opens again, what waited is sent again within this time.
constexpr std::int64_t kResumeMsMax = 1000;

}  // namespace

Connection::Connection(Network& network, std::uint32_t number, const Party& client,
                       const Party& server, Rng luck)
    : network_(network), number_(number), parties_{client, server}, luck_(luck) {
  end(Side::kClient).exists = true;
  send_syn();
}

const Link& Connection::link(Side sender) const {
  return network_.link(party(sender).host, party(other(sender)).host);
}

bool Connection::way_is_open(Side sender) const {
  return network_.way_is_open(party(sender).host, party(other(sender)).host);
}

void Connection::schedule(Time when, What what, Side side) {
  ++events_;
  network_.world().at(when, *this,
                      static_cast<std::uint64_t>(what) << 1 | static_cast<std::uint64_t>(side));
}

void Connection::fire(std::uint64_t payload) {
  --events_;
  const auto side = static_cast<Side>(payload & 1);
  switch (static_cast<What>(payload >> 1)) {
    case What::kSyn:
      syn_arrived();
      break;
    case What::kSynAck:
      syn_ack_arrived();
      break;
    case What::kAck:
      ack_arrived();
      break;
    case What::kRefusal:
      connect_failed(ConnectState::kRefused);
      break;
    case What::kArrival:
      arrived(side);
      break;
    case What::kRoom:
      outgoing(side).room_event = false;
      transmit(side);
      break;
    case What::kFree:
      outgoing(side).free_event = false;
      tell(side);
      break;
  }
  if (finished()) network_.free(*this);
}

bool Connection::finished() const {
  const auto gone = [](const End& e) { return !e.exists || e.closed; };
  return events_ == 0 && gone(ends_[0]) && gone(ends_[1]) && directions_[0].stalled == 0 &&
         directions_[1].stalled == 0;
}

// ---- connecting

void Connection::send_syn() {
  trace("connect", Side::kClient);
  ++syns_;
  schedule(network_.world().now() + delay(Side::kClient, 0), What::kSyn, Side::kClient);
}

void Connection::syn_arrived() {
  if (end(Side::kClient).closed || connect_state_ != ConnectState::kConnecting) return;
  if (network_.is_unreachable(party(Side::kServer).host)) {
    return connect_failed(ConnectState::kUnreachable);
  }
  const bool open = way_is_open(Side::kClient);
  NetListener* listener = open ? network_.listener_for(*this, luck_) : nullptr;
  if (open && listener == nullptr && !network_.ignores(party(Side::kServer).address)) {
    trace("refuse", Side::kServer);
    return schedule(network_.world().now() + delay(Side::kServer, 0), What::kRefusal,
                    Side::kServer);
  }
  if (listener == nullptr) {  // lost, or dropped by a full queue
    trace("connect lost", Side::kClient);
    if (syns_ >= kSynsMax) return connect_failed(ConnectState::kTimedOut);
    const Duration wait = kSynWait * (std::int64_t{1} << (syns_ - 1));
    ++syns_;
    return schedule(network_.world().now() + wait, What::kSyn, Side::kClient);
  }
  end(Side::kServer).exists = true;
  listener_ = listener;
  schedule(network_.world().now() + delay(Side::kServer, 0), What::kSynAck, Side::kServer);
}

void Connection::syn_ack_arrived() {
  if (end(Side::kClient).closed || connect_state_ != ConnectState::kConnecting) {
    return send_reset(Side::kClient);
  }
  connect_state_ = ConnectState::kOpen;
  trace("connected", Side::kClient);
  const Time when = network_.world().now() + delay(Side::kClient, 0);
  outgoing(Side::kClient).last_arrival = when;
  schedule(when, What::kAck, Side::kClient);
  tell(Side::kClient);
}

void Connection::ack_arrived() {
  if (end(Side::kServer).closed) return;
  if (listener_ == nullptr) return close(Side::kServer, true);
  queued_ = true;
  listener_->enqueue(*this);
}

// Nobody will accept it.
void Connection::listener_gone() {
  listener_ = nullptr;
  if (queued_) close(Side::kServer, true);
}

void Connection::connect_failed(ConnectState state) {
  if (connect_state_ != ConnectState::kConnecting) return;
  connect_state_ = state;
  trace("connect failed", Side::kClient);
  tell(Side::kClient);
}

// ---- bytes

std::size_t Connection::write(Side side, std::span<const char> bytes) {
  Direction& out = outgoing(side);
  EV_CHECK(!out.shut && !end(side).closed, "a write on a direction that has ended");
  const std::size_t held = out.waiting + out.travelling;
  const std::size_t buffer = link(side).send_buffer;
  const std::size_t n = std::min(bytes.size(), buffer > held ? buffer - held : 0);
  out.wants_room = n < bytes.size();
  if (n == 0) return 0;
  out.bytes.push(bytes.first(n));
  out.waiting += n;
  transmit(side);
  return n;
}

void Connection::shut(Side side) {
  if (std::exchange(outgoing(side).shut, true)) return;
  transmit(side);
}

// Sends what the receiver has room for, and the end after the last byte.
void Connection::transmit(Side sender) {
  Direction& out = outgoing(sender);
  if (end(sender).broken || end(sender).reset_sent) return;
  const Link& l = link(sender);
  while (out.waiting > 0) {
    const std::size_t held = out.travelling + out.arrived;
    if (held >= l.receive_buffer) return;
    std::size_t n = l.segment_min;
    if (l.segment_max > l.segment_min) {
      n += static_cast<std::size_t>(luck_.below(l.segment_max - l.segment_min + 1));
    }
    n = std::min({n, out.waiting, l.receive_buffer - held});
    out.waiting -= n;
    out.travelling += n;
    launch(sender, {static_cast<std::uint32_t>(n), Kind::kData});
  }
  if (out.shut && !std::exchange(out.end_sent, true)) launch(sender, {0, Kind::kEnd});
}

Duration Connection::delay(Side sender, std::size_t bytes) {
  const Link& l = link(sender);
  Direction& out = outgoing(sender);
  const Time now = network_.world().now();
  Duration d = l.latency;
  if (l.bytes_per_second > 0 && bytes > 0) {
    out.line_free = std::max(now, out.line_free) +
                    Duration::from_seconds(static_cast<double>(bytes) / l.bytes_per_second);
    d = d + (out.line_free - now);
  }
  if (l.jitter > Duration()) {
    d = d + Duration::nanoseconds(static_cast<std::int64_t>(
                luck_.below(static_cast<std::uint64_t>(l.jitter.ns()) + 1)));
  }
  Duration again = l.retransmit;
  for (int i = 0; i < 5 && l.loss > 0 && luck_.uniform01() < l.loss; ++i) {
    d = d + again;
    again = again * 2;
  }
  return d;
}

void Connection::launch(Side sender, Segment segment) {
  Direction& out = outgoing(sender);
  out.segments.push_back(segment);
  out.last_arrival =
      std::max(out.last_arrival, network_.world().now() + delay(sender, segment.bytes));
  schedule(out.last_arrival, What::kArrival, sender);
}

void Connection::arrived(Side sender) {
  Direction& out = outgoing(sender);
  if (!way_is_open(sender)) {
    ++out.stalled;
    trace("stalled", sender);
    return;
  }
  const Segment segment = out.segments.front();
  out.segments.pop_front();
  deliver(sender, segment);
}

void Connection::way_changed() {
  for (const Side sender : {Side::kClient, Side::kServer}) {
    Direction& out = outgoing(sender);
    if (out.stalled == 0 || !way_is_open(sender)) continue;
    const Time when =
        network_.world().now() +
        Duration::milliseconds(static_cast<std::int64_t>(luck_.below(kResumeMsMax)) + 1);
    out.last_arrival = std::max(out.last_arrival, when);
    for (; out.stalled > 0; --out.stalled) schedule(when, What::kArrival, sender);
  }
}

void Connection::deliver(Side sender, Segment segment) {
  Direction& out = outgoing(sender);
  const Side receiver = other(sender);
  out.travelling -= segment.bytes;
  if (segment.kind == Kind::kReset) {
    trace("reset arrives", receiver);
    return break_side(receiver);
  }
  if (end(receiver).broken) return;
  if (segment.kind == Kind::kEnd) {
    trace("end arrives", receiver);
    out.ended = true;
    return tell(receiver);
  }
  trace("bytes arrive", receiver, segment.bytes);
  if (end(receiver).closed) return send_reset(receiver);
  out.arrived += segment.bytes;
  if (out.wants_room && !std::exchange(out.free_event, true)) {
    schedule(network_.world().now() + link(receiver).latency, What::kFree, sender);
  }
  tell(receiver);
}

void Connection::read(Side side, char* to, std::size_t n) {
  Direction& in = incoming(side);
  EV_CHECK(n <= in.arrived, "read more than has arrived");
  in.bytes.pop(to, n);
  in.arrived -= n;
  if (in.waiting > 0 && !std::exchange(in.room_event, true)) {
    schedule(network_.world().now() + link(side).latency, What::kRoom, other(side));
  }
}

// ---- ends

void Connection::send_reset(Side sender) {
  if (std::exchange(end(sender).reset_sent, true)) return;
  Direction& out = outgoing(sender);
  out.bytes.keep(out.arrived + out.travelling);
  out.waiting = 0;
  launch(sender, {0, Kind::kReset});
}

// What had arrived stays readable; nothing more comes or goes.
void Connection::break_side(Side side) {
  End& broken = end(side);
  if (broken.closed) {
    broken.reset_sent = true;  // nothing left to answer
    return;
  }
  if (std::exchange(broken.broken, true)) return;
  Direction& out = outgoing(side);
  out.bytes.keep(out.arrived + out.travelling);
  out.waiting = 0;
  if (side == Side::kServer && broken.engine == nullptr && !queued_) {
    return close(Side::kServer, false);  // it will never be queued
  }
  tell(side);
}

void Connection::close(Side side, bool force) {
  End& e = end(side);
  if (std::exchange(e.closed, true)) return;
  e.owner = nullptr;
  e.engine = nullptr;
  const bool connecting = side == Side::kClient && connect_state_ != ConnectState::kOpen;
  if (!connecting && !e.broken) {
    if (force || incoming(side).arrived > 0) {
      trace("reset", side);
      send_reset(side);
    } else {
      trace("close", side);
      shut(side);
    }
  }
  if (finished()) network_.free(*this);
}

void Connection::cut() {
  trace("cut", Side::kClient);
  for (const Side side : {Side::kClient, Side::kServer}) {
    if (end(side).exists) break_side(side);
  }
}

void Connection::die(Side side) {
  if (end(side).closed || end(side).broken) return;
  trace("process gone", side);
  if (side == Side::kServer || connect_state_ == ConnectState::kOpen) send_reset(side);
  if (side == Side::kClient) connect_failed(ConnectState::kUnreachable);
  break_side(side);
}

void Connection::trace(std::string_view what, Side side, std::size_t bytes) {
  network_.note(what, *this, side, bytes);
}

}  // namespace evener::sim
