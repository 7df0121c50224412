// AdminServer: /healthz, /metrics and /endpoints over HTTP, on an address meant for loopback.
//
// Owner: the service. Thread: the control loop's. It reads nothing of a worker itself: `source`
// asks the workers by message and calls back on the control loop.
#pragma once

#include <functional>

#include "admin/snapshot.h"
#include "http/server.h"

namespace evener::admin {

class AdminServer {
 public:
  using Source = std::move_only_function<void(std::move_only_function<void(Snapshot)>)>;

  AdminServer(io::Loop& control, Source source);
  std::expected<io::Address, std::string> listen(const io::Address& address);

  // From now on /healthz says 503 "draining", so that an outer balancer moves on.
  void set_draining() { draining_ = true; }

 private:
  io::Task<http::ServerResponse> handle(const http::ServerRequest& request);
  io::Task<Snapshot> snapshot();

  Source source_;
  bool draining_ = false;
  http::Server server_;
};

}  // namespace evener::admin
