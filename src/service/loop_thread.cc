#include "service/loop_thread.h"

namespace evener::service {
namespace {

// Turns in which the engine gives back what ended streams still hold.
constexpr int kLastTurns = 3;

}  // namespace

std::expected<std::unique_ptr<LoopThread>, std::string> LoopThread::start(io::EngineKind engine) {
  std::unique_ptr<LoopThread> self(new LoopThread);  // tidy: allow(new) private constructor
  std::promise<std::string> started;
  auto error = started.get_future();
  self->thread_ = std::jthread([&self = *self, engine, up = std::move(started)]() mutable {
    self.run(engine, std::move(up));
  });
  std::string failed = error.get();
  if (!failed.empty()) return std::unexpected(std::move(failed));
  return self;
}

void LoopThread::run(io::EngineKind engine, std::promise<std::string> started) {
  auto loop = io::Loop::create(engine);
  if (!loop) return started.set_value(std::move(loop.error()));
  loop_ = loop->get();
  auto may_end = may_end_.get_future();
  started.set_value({});
  (*loop)->run();
  for (int i = 0; i < kLastTurns; ++i) (*loop)->turn((*loop)->now());
  // The thread that stops the loop is still inside stop() until it says so.
  may_end.wait();
}

LoopThread::~LoopThread() {
  if (loop_ == nullptr) return;
  loop_->stop();
  may_end_.set_value();
}

}  // namespace evener::service
