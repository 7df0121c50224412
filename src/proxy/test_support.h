// For the proxy's tests: a real Worker, endpoints that do byte for byte what a test says, and raw
// clients, all on one loop and one thread over loopback sockets.
//
// Every wait has a deadline: a stuck test fails, it does not hang. After each test the fixture
// checks that nothing is in flight, no client is left and every buffer is home.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "http/wire.h"
#include "io/event.h"
#include "io/loop.h"
#include "io/task.h"
#include "proxy/worker.h"

namespace evener::proxy {

using http::kPatience;
using http::Message;
using http::Wire;

// Listens and runs `script` for each connection; the connection is closed when the script ends.
class ScriptedEndpoint {
 public:
  using Script = std::function<io::Task<void>(Wire&)>;
  ScriptedEndpoint(io::Loop& loop, Script script, int backlog = 1024);

  const io::Address& address() const { return address_; }
  int connections() const { return connections_; }
  std::size_t open() const { return wires_.size(); }
  void stop_listening() { listener_.reset(); }
  void pause() { listener_->pause(); }
  // Breaks what is open; the scripts end in later turns.
  void shut();

 private:
  static io::Task<void> serve(ScriptedEndpoint& self, std::list<Wire>::iterator wire);

  Script script_;
  std::list<Wire> wires_;
  io::ListenerPtr listener_;
  io::Address address_;
  int connections_ = 0;
};

// Answers every request with `answer`.
ScriptedEndpoint::Script always(std::string answer);
std::string response_with(std::string_view body, std::string_view fields = "");
// Bytes that differ from place to place, so that a slip shows.
std::string pattern(std::size_t size);

class ProxyTest : public ::testing::TestWithParam<io::EngineKind> {
 public:
  void SetUp() override;
  void TearDown() override;

 protected:
  // An endpoint of the only pool. REQUIRES: before start().
  ScriptedEndpoint& endpoint(ScriptedEndpoint::Script script, int backlog = 1024);
  // An endpoint where nobody listens.
  void dead_endpoint();
  void start(Worker::Options options = {.index = 0, .seed = 1, .connections_max = 0});

  // Runs the coroutine that `body` makes to its end.
  template <class Body>
  void run(Body body) {
    run_task(body());
  }
  io::Task<Wire> connect();
  // One request on its own connection, answered.
  io::Task<Message> ask(std::string request);
  // Waits until `condition` holds, at most kPatience.
  io::Task<bool> eventually(std::function<bool()> condition);
  io::Task<void> pause(Duration d) { co_await loop_->sleep(d); }

  Pool& pool() { return worker_->pool(0); }
  EndpointStatus status_of_endpoint(std::size_t index);
  std::uint64_t counted(Reason reason) const {
    return worker_->counters().reasons[static_cast<std::size_t>(reason)];
  }
  bool idle() { return pool().balancer().in_flight() == 0 && worker_->clients() == 0; }

  config::Config config_;
  std::unique_ptr<io::Loop> loop_;
  std::list<ScriptedEndpoint> endpoints_;
  std::unique_ptr<Worker> worker_;
  io::Address address_;
  std::size_t idle_blocks_ = 0;

 private:
  void run_task(io::Task<void> task);
  void turn_until(const std::function<bool()>& condition);
};

inline std::string engine_of(const ::testing::TestParamInfo<io::EngineKind>& info) {
  return info.param == io::EngineKind::kEpoll ? "epoll" : "uring";
}
#define EV_BOTH_ENGINES(suite)                                                                \
  INSTANTIATE_TEST_SUITE_P(engines, suite,                                                    \
                           ::testing::Values(io::EngineKind::kEpoll, io::EngineKind::kUring), \
                           engine_of)

}  // namespace evener::proxy
