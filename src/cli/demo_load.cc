#include "cli/demo_load.h"

#include <cmath>

namespace evener::cli {
namespace {

constexpr Duration kRequestTimeout = Duration::seconds(10);

}  // namespace

class DemoLoad::Generator {
 public:
  Generator(io::Loop& loop, const io::Address& target, double per_second, Rng rng)
      : loop_(loop), client_(loop, target), mean_gap_(1.0 / per_second), rng_(rng) {}

  io::Task<void> run() {
    Time next = loop_.now();
    while (!stopped_) {
      next = next + Duration::from_seconds(-std::log1p(-rng_.uniform01()) * mean_gap_);
      co_await loop_.sleep_until(next);
      if (stopped_) break;
      if (stats_.outstanding >= kOutstandingMax) {
        ++stats_.not_sent;
      } else {
        io::spawn(request(next));
      }
    }
    ended_ = true;
  }

  void stop() { stopped_ = true; }
  bool ended() const { return ended_ && stats_.outstanding == 0; }
  const LoadStats& stats() const { return stats_; }

 private:
  io::Task<void> request(Time intended) {
    ++stats_.sent;
    ++stats_.outstanding;
    const auto answer = co_await client_.get("/", loop_.now() + kRequestTimeout);
    --stats_.outstanding;
    if (!answer) {
      ++stats_.broken;
      co_return;
    }
    ++(answer->status < 500 ? stats_.succeeded : stats_.failed);
    stats_.latency.record(loop_.now() - intended);
  }

  io::Loop& loop_;
  http::Client client_;
  double mean_gap_;
  Rng rng_;
  LoadStats stats_;
  bool stopped_ = false;
  bool ended_ = false;
};

std::expected<std::unique_ptr<DemoLoad>, std::string> DemoLoad::start(const io::Address& target,
                                                                      double per_second,
                                                                      std::uint64_t seed) {
  auto thread = service::LoopThread::start(io::EngineKind::kAuto);
  if (!thread) return std::unexpected(std::move(thread.error()));
  std::unique_ptr<DemoLoad> self(new DemoLoad);  // tidy: allow(new) private constructor
  self->thread_ = std::move(*thread);
  self->thread_->call([&] {
    self->generator_ =
        std::make_unique<Generator>(self->thread_->loop(), target, per_second, Rng(seed));
    io::spawn(self->generator_->run());
  });
  return self;
}

LoadStats DemoLoad::stats() {
  return thread_->call([&] { return generator_->stats(); });
}

void DemoLoad::stop() {
  thread_->call([&] { generator_->stop(); });
  // Bounded by the request time-out; each round waits for a turn of the loop.
  while (!thread_->call([&] { return generator_->ended(); })) {
    auto turn = std::make_shared<std::promise<void>>();
    auto turned = turn->get_future();
    thread_->loop().post([this, turn] {
      io::spawn([](io::Loop& loop, std::shared_ptr<std::promise<void>> done) -> io::Task<void> {
        co_await loop.sleep(Duration::milliseconds(5));
        done->set_value();
      }(thread_->loop(), turn));
    });
    turned.wait();
  }
}

DemoLoad::~DemoLoad() {
  if (!generator_) return;
  stop();
  thread_->call([&] { generator_.reset(); });
}

}  // namespace evener::cli
