// Worker: one share-nothing proxy on one loop: listeners, clients, pools, counters.
//
// Owner and thread: the thread that runs its loop. Everything it holds is touched only there;
// others use Loop::post. The configuration and the endpoint sets are shared and frozen.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "io/loop.h"
#include "proxy/client.h"
#include "proxy/counters.h"
#include "proxy/pool.h"
#include "proxy/router.h"

namespace evener::proxy {

using ConfigPtr = std::shared_ptr<const config::Config>;

http::ParserLimits parser_limits(const config::Limits& limits);

class Worker {
 public:
  struct Options {
    std::uint32_t index = 0;
    std::uint64_t seed = 0;
    std::uint32_t connections_max = 0;  // 0: no limit but the descriptors
  };

  // `sets`: the facts of config->pools, in their order.
  Worker(io::Loop& loop, ConfigPtr config, const std::vector<EndpointSetPtr>& sets,
         Options options);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Starts accepting on `address` together with the other workers.
  std::expected<io::Address, std::string> listen(const io::Address& address);
  // Stops accepting, closes what is idle, lets exchanges end until `deadline`, then breaks them.
  // Requests and connections already on their way are still served, unless the deadline is now, and
  // over connections_max if need be: the kernel's queue has let them in.
  // `done` is called once, when no client is left.
  void drain(Time deadline, std::move_only_function<void()> done);

  io::Loop& loop() { return loop_; }
  const config::Config& config() const { return *config_; }
  const Router& router() const { return router_; }
  Pool& pool(std::size_t index) { return *pools_[index]; }
  std::size_t pools() const { return pools_.size(); }
  Counters& counters() { return counters_; }
  const http::ParserLimits& parser_limits() const { return parser_limits_; }
  std::size_t clients() const { return clients_.size(); }
  std::size_t idle_endpoint_connections() const { return idle_budget_.used; }
  bool draining() const { return draining_; }
  // Text under construction; not kept over a wait.
  std::string& scratch() { return scratch_; }
  // `client` has ended: destroys it.
  void client_closed(ClientConnection& client);

 private:
  struct DrainTimer : io::Timer {
    explicit DrainTimer(Worker& w);
    Worker& worker;
  };
  struct ListenTimer : io::Timer {
    explicit ListenTimer(Worker& w);
    Worker& worker;
  };
  void accept(io::StreamPtr stream);
  void stop_listening();
  void for_each_client(void (ClientConnection::*act)());
  void finish_drain_if_done();

  io::Loop& loop_;
  ConfigPtr config_;
  Router router_;
  http::ParserLimits parser_limits_;
  Options options_;
  Counters counters_;
  upstream::IdleBudget idle_budget_;
  std::vector<std::unique_ptr<Pool>> pools_;
  std::list<ClientConnection> clients_;
  std::vector<io::ListenerPtr> listeners_;
  bool paused_ = false;
  bool draining_ = false;
  std::move_only_function<void()> drained_;
  DrainTimer drain_timer_;
  ListenTimer listen_timer_;
  std::string scratch_;
};

}  // namespace evener::proxy
