#include "sim/net/stream.h"

#include <algorithm>
#include <utility>

namespace evener::sim {

using io::IoStatus;

NetStream::NetStream(NetEngine& engine, io::Loop& loop, const io::Address& peer)
    : Stream(loop, peer),
      engine_(engine),
      deferred_{{[](io::Deferred& d) { static_cast<Work&>(d).stream.run_deferred(); }}, *this} {}

NetStream::NetStream(NetEngine& engine, io::Loop& loop, Connection& connection)
    : NetStream(engine, loop, connection.party(Side::kClient).address) {
  connection_ = &connection;
  side_ = Side::kServer;
  has_descriptor_ = true;
  connection.set_owner(side_, this);
}

bool NetStream::start_connect() {
  if (engine_.dead()) {
    sent_ = IoStatus::kUnreachable;
    return true;
  }
  if (!engine_.take_descriptor()) {
    sent_ = IoStatus::kNoDescriptors;
    return true;
  }
  has_descriptor_ = true;
  connecting_ = true;
  connection_ = engine_.network().connect(engine_.host(), peer_);
  if (connection_ != nullptr) {
    connection_->set_owner(side_, this);
    connection_->set_engine(side_, &engine_);
  }
  return false;
}

void NetStream::finish_connect() {
  IoStatus status = IoStatus::kOk;
  switch (connection_->connect_state()) {
    case ConnectState::kConnecting:
      return;
    case ConnectState::kOpen:
      break;
    case ConnectState::kRefused:
      status = IoStatus::kRefused;
      break;
    case ConnectState::kUnreachable:
      status = IoStatus::kUnreachable;
      break;
    case ConnectState::kTimedOut:
      status = IoStatus::kTimedOut;
      break;
  }
  connecting_ = false;
  interrupt_send_.reset();
  complete_send(status);
}

void NetStream::deliver() {
  if (connecting_) {
    finish_connect();
  } else if (send_pending_ && flush()) {
    interrupt_send_.reset();
    complete_send(sent_);
  }
  if (!closed_) deliver_receive();
}

void NetStream::deliver_receive() {
  io::Received result;
  if (!receive_pending_ || !try_receive(result)) return;
  interrupt_receive_.reset();
  complete_receive(result.status, std::move(result.chunk));
}

bool NetStream::start_receive(std::size_t want) {
  want_ = want;
  if (!engine_.eager()) {
    changed();
    return false;
  }
  io::Received result;
  if (!try_receive(result)) return false;
  store_received(result.status, std::move(result.chunk));
  return true;
}

bool NetStream::try_receive(io::Received& result) {
  if (connection_ == nullptr || connecting_) return false;
  const std::size_t there = connection_->readable(side_);
  if (there > 0) {
    io::Block* block = loop_.buffers().take(want_);
    const std::size_t n = std::min<std::size_t>(there, block->capacity);
    connection_->read(side_, block->payload(), n);
    result = {IoStatus::kOk, io::Chunk::adopt(block, n)};
    return true;
  }
  if (connection_->at_end(side_)) {
    result.status = IoStatus::kEof;
    told_end_ = true;
  } else if (connection_->broken(side_)) {
    result.status = IoStatus::kReset;
  } else {
    return false;
  }
  return true;
}

bool NetStream::start_send(bool last) {
  last_ = last;
  // The rest of what was begun before the end arrived is no late write.
  const auto& on_late_write = engine_.network().on_late_write;
  if (told_end_ && side_ == Side::kClient && !outgoing_.empty() && on_late_write) {
    on_late_write(*connection_, outgoing_.chunks().front().text());
  }
  if (engine_.eager() || outgoing_.empty()) return flush();
  // The kernel copies at once and tells later.
  changed();
  return false;
}

bool NetStream::flush() {
  sent_ = IoStatus::kOk;
  while (!outgoing_.empty()) {
    if (connection_->broken(side_)) {
      sent_ = IoStatus::kReset;
      return true;
    }
    const std::size_t n = connection_->write(side_, outgoing_.chunks().front().bytes());
    if (n == 0) return false;
    bytes_sent_ += n;
    outgoing_.consume(n);
  }
  if (last_ && !connection_->broken(side_)) connection_->shut(side_);
  return true;
}

void NetStream::interrupt(io::Ops ops, IoStatus why) {
  if (receive_pending_) interrupt_receive_ = why;
  if (ops == io::Ops::kAll && send_pending_) interrupt_send_ = why;
  if (receive_pending_ || send_pending_) loop_.defer(deferred_);
}

void NetStream::run_deferred() {
  if (closed_) return;
  if (const auto why = std::exchange(interrupt_send_, std::nullopt); why && send_pending_) {
    connecting_ = false;
    complete_send(*why);
  }
  if (closed_) return;
  if (const auto why = std::exchange(interrupt_receive_, std::nullopt); why && receive_pending_) {
    complete_receive(*why, {});
  }
}

bool NetStream::is_quiet() {
  return !received_ready_ && connection_ != nullptr && connection_->readable(side_) == 0 &&
         !connection_->at_end(side_) && !connection_->broken(side_);
}

void NetStream::close() {
  closed_ = true;
  engine_.forget(*this);
  if (connection_ != nullptr) std::exchange(connection_, nullptr)->close(side_, aborted_);
  if (std::exchange(has_descriptor_, false)) engine_.give_descriptor();
  outgoing_.clear();
  received_.chunk.release();
  receive_pending_ = false;
  send_pending_ = false;
  engine_.bury(*this);
}

}  // namespace evener::sim
