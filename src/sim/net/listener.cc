#include "sim/net/listener.h"

#include <cerrno>
#include <utility>

#include "sim/net/stream.h"

namespace evener::sim {

NetListener::NetListener(NetEngine& engine, io::Loop& loop, const io::Address& address,
                         const io::ListenOptions& options, io::AcceptHandler on_accept)
    : engine_(engine),
      loop_(loop),
      on_accept_(std::move(on_accept)),
      backlog_(static_cast<std::size_t>(options.backlog)),
      rest_timer_(*this) {
  address_ = address;
  engine_.network().add_listener(*this);
}

NetListener::~NetListener() {
  engine_.network().remove_listener(*this);
  engine_.forget(*this);
}

void NetListener::resume() {
  paused_ = false;
  changed();
}

void NetListener::stop() {
  stopped_ = true;
  resume();
}

void NetListener::enqueue(Connection& connection) {
  queue_.push_back(&connection);
  changed();
}

void NetListener::deliver() {
  while (!queue_.empty() && !paused_ && !rest_timer_.armed()) {
    if (!engine_.take_descriptor()) return rest_.begin(loop_, rest_timer_, address_, EMFILE);
    Connection* connection = queue_.front();
    queue_.pop_front();
    connection->accepted(engine_);
    on_accept_(io::StreamPtr(
        new NetStream(engine_, loop_, *connection)));  // tidy: allow(new) StreamPtr releases it
  }
}

}  // namespace evener::sim
