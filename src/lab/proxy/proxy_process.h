// ProxyProcess: one worker of the real proxy as a simulated process, and what must hold in it.
//
// After every turn it checks what no moment may break: limits, and that nobody who is left out gets
// a request while others are there. Owner: the run, until it is gone(). One thread.
#pragma once

#include <memory>
#include <vector>

#include "lab/proxy/process.h"
#include "proxy/worker.h"

namespace evener::lab::fleet {

class ProxyProcess : public Process {
 public:
  // `number`: of the incarnation, for the seed and messages.
  ProxyProcess(RunState& run, sim::HostId host, proxy::ConfigPtr config,
               const std::vector<EndpointSetPtr>& sets, std::uint32_t index, std::string name,
               Rng luck);

  // Drains as on SIGTERM: within the configured time.
  void drain();
  // As on SIGKILL: the network sees it end now.
  void kill();
  // Drained: everything must be back home, or it is a violation.
  bool gone() const { return gone_; }
  bool ending() const { return ending_; }
  const std::string& name() const { return name_; }
  proxy::Worker& worker() { return *worker_; }
  // Nothing is under way, though clients may be connected.
  void expect_idle();

 private:
  void drain_within(Duration limit);
  void check_turn();
  void check_picks(std::size_t pool);
  void expect(bool holds, std::string_view what);
  void check_home();

  std::string name_;
  proxy::ConfigPtr config_;
  std::unique_ptr<proxy::Worker> worker_;
  std::vector<std::vector<EndpointStatus>> before_;  // by pool, after the last turn
  std::vector<EndpointStatus> now_;
  Time drain_limit_ = Time::never();  // when a drain must be over
  bool ending_ = false;
  bool drained_ = false;
  bool gone_ = false;
};

}  // namespace evener::lab::fleet
