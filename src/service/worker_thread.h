// WorkerThread: a thread with a loop and a proxy worker on it.
//
// Owner: the service. `start` returns when the worker accepts connections or has failed to; all
// other calls are messages to the loop and may come from the control thread only.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "admin/snapshot.h"
#include "proxy/worker.h"
#include "service/loop_thread.h"

namespace evener::service {

class WorkerThread {
 public:
  struct Options {
    proxy::ConfigPtr config;
    std::vector<EndpointSetPtr> sets;
    proxy::Worker::Options worker;
    io::EngineKind engine = io::EngineKind::kAuto;
    std::vector<io::Address> addresses;
  };
  struct Started {
    std::vector<io::Address> addresses;  // with the ports the kernel chose
    std::string engine;
    std::string engine_note;
  };

  static std::expected<std::unique_ptr<WorkerThread>, std::string> start(Options options);
  // Stops at once what still runs.
  ~WorkerThread();
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  const Started& started() const { return started_; }
  // Calls back on `control` with the worker's report.
  void report(io::Loop& control, std::move_only_function<void(admin::WorkerReport)> answer);
  // Ends the worker gently, within `limit`; then calls back on `control`.
  void drain(Duration limit, io::Loop& control, std::move_only_function<void()> done);

 private:
  WorkerThread() = default;
  std::expected<void, std::string> set_up(const Options& options);

  Started started_;
  std::unique_ptr<LoopThread> thread_;
  std::unique_ptr<proxy::Worker> worker_;  // touched on the loop's thread only
};

}  // namespace evener::service
