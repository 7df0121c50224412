// LoopThread: a thread that turns one loop, and a way to run something there and wait for it.
//
// Owner: the service, and the demo for its endpoints and its load. The loop is made, turned and
// destroyed on its own thread; what lives on it must be destroyed by a `call` before this is.
// Thread: all functions belong to the owner's thread.
#pragma once

#include <expected>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "io/loop.h"

namespace evener::service {

class LoopThread {
 public:
  static std::expected<std::unique_ptr<LoopThread>, std::string> start(io::EngineKind engine);
  ~LoopThread();
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  io::Loop& loop() { return *loop_; }

  // Runs `work` in a turn of the loop and returns its result. REQUIRES: not called on the loop.
  template <class Work>
  auto call(Work work) -> std::invoke_result_t<Work> {
    std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
    auto result = task.get_future();
    loop_->post([&task] { task(); });
    return result.get();
  }

 private:
  LoopThread() = default;
  void run(io::EngineKind engine, std::promise<std::string> started);

  io::Loop* loop_ = nullptr;
  std::promise<void> may_end_;
  std::jthread thread_;
};

}  // namespace evener::service
