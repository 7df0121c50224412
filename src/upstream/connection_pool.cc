#include "upstream/connection_pool.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace evener::upstream {

EndpointConnection::EndpointConnection(EndpointId id, io::StreamPtr stream,
                                       const http::ParserLimits& limits)
    : Waiter{[](Waiter& waiter) {
        auto& self = static_cast<EndpointConnection&>(waiter);
        self.pool_->woke(self);
      }},
      id_(id),
      stream_(std::move(stream)),
      parser_(http::Role::kResponse, limits) {}

EndpointConnectionPtr ConnectionPool::detach(List& list, std::size_t index) {
  EndpointConnectionPtr connection = std::move(list[index]);
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
  connection->pool_ = nullptr;
  --idle_count_;
  --budget_.used;
  return connection;
}

EndpointConnectionPtr ConnectionPool::take(EndpointId id, bool surely_quiet) {
  const auto found = idle_.find(id);
  if (found == idle_.end()) return nullptr;
  List& list = found->second;
  while (!list.empty()) {
    EndpointConnectionPtr connection = detach(list, list.size() - 1);
    io::Stream& stream = *connection->stream_;
    stream.forget_receive();
    if (stream.has_received() || (surely_quiet && !stream.is_quiet())) continue;
    stream.set_deadline(Time::never());
    return connection;
  }
  return nullptr;
}

void ConnectionPool::put(EndpointConnectionPtr connection, Time now) {
  List& list = idle_[connection->id()];
  if (list.size() >= options_.idle_per_endpoint || budget_.used >= budget_.limit) return;
  io::Stream& stream = *connection->stream_;
  connection->parser_.reset();
  connection->reused_ = true;
  stream.set_deadline(now + options_.keep_alive);
  // Complete at once: bytes nobody asked for, or the end. Such a connection is never used again.
  if (stream.arm_receive(*connection, io::kSmallBlock)) return;
  connection->pool_ = this;
  ++idle_count_;
  ++budget_.used;
  list.push_back(std::move(connection));
}

void ConnectionPool::woke(EndpointConnection& connection) {
  List& list = idle_[connection.id()];
  const auto at = std::ranges::find_if(list, [&](const auto& c) { return c.get() == &connection; });
  EV_CHECK(at != list.end(), "an idle connection is in its pool's list");
  detach(list, static_cast<std::size_t>(at - list.begin()));
}

void ConnectionPool::close_all() {
  for (auto& [id, list] : idle_) budget_.used -= list.size();
  idle_.clear();
  idle_count_ = 0;
}

}  // namespace evener::upstream
