#include "service/worker_thread.h"

#include <utility>

namespace evener::service {
namespace {

// Rounds of turns that broken connections get to end in; each needs a handful.
constexpr int kEndRounds = 1000;

}  // namespace

std::expected<std::unique_ptr<WorkerThread>, std::string> WorkerThread::start(Options options) {
  auto thread = LoopThread::start(options.engine);
  if (!thread) return std::unexpected(std::move(thread.error()));
  std::unique_ptr<WorkerThread> self(new WorkerThread);  // tidy: allow(new) private constructor
  self->thread_ = std::move(*thread);
  auto ready = self->thread_->call([&] { return self->set_up(options); });
  if (!ready) return std::unexpected(std::move(ready.error()));
  return self;
}

std::expected<void, std::string> WorkerThread::set_up(const Options& options) {
  io::Loop& loop = thread_->loop();
  worker_ = std::make_unique<proxy::Worker>(loop, options.config, options.sets, options.worker);
  started_.engine = loop.engine_name();
  started_.engine_note = loop.engine_note();
  for (const io::Address& address : options.addresses) {
    auto bound = worker_->listen(address);
    if (!bound) return std::unexpected(std::move(bound.error()));
    started_.addresses.push_back(*bound);
  }
  return {};
}

WorkerThread::~WorkerThread() {
  if (!thread_) return;
  bool ended = false;
  thread_->call([&] {
    if (!worker_) return;
    worker_->drain(thread_->loop().now(), [&ended] { ended = true; });
  });
  for (int i = 0; i < kEndRounds; ++i) {
    if (thread_->call([&] { return !worker_ || ended; })) break;
  }
  thread_->call([&] { worker_.reset(); });
}

void WorkerThread::report(io::Loop& control,
                          std::move_only_function<void(admin::WorkerReport)> answer) {
  thread_->loop().post([this, &control, answer = std::move(answer)]() mutable {
    admin::WorkerReport result = admin::report(*worker_);
    control.post([answer = std::move(answer), result = std::move(result)]() mutable {
      answer(std::move(result));
    });
  });
}

void WorkerThread::drain(Duration limit, io::Loop& control, std::move_only_function<void()> done) {
  thread_->loop().post([this, limit, &control, done = std::move(done)]() mutable {
    worker_->drain(thread_->loop().now() + limit,
                   [&control, done = std::move(done)]() mutable { control.post(std::move(done)); });
  });
}

}  // namespace evener::service
