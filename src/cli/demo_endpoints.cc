#include "cli/demo_endpoints.h"

#include <cmath>
#include <deque>

#include "http/server.h"
#include "io/event.h"

namespace evener::cli {
namespace {

constexpr int kSlots = 8;
constexpr Duration kFast = Duration::milliseconds(5);
constexpr Duration kSlow = Duration::milliseconds(50);

bool fails_at(const DemoFailure& failure, Duration since_start) {
  const Duration phase = Duration::nanoseconds(since_start.ns() % failure.period.ns());
  return phase >= failure.from && phase < failure.until;
}

}  // namespace

std::vector<DemoEndpointSpec> demo_endpoint_specs() {
  return {{"fast-1", "5 ms", kFast},       {"fast-2", "5 ms", kFast},
          {"fast-3", "5 ms", kFast},       {"fast-4", "5 ms", kFast},
          {"slow-5", "10x slower", kSlow}, {"flaky-6", "5 ms, 500s for a while", kFast, true}};
}

class DemoEndpoints::One {
 public:
  One(io::Loop& loop, const DemoEndpointSpec& spec, DemoFailure failure, Time started, Rng rng)
      : loop_(loop),
        spec_(spec),
        failure_(failure),
        started_(started),
        rng_(rng),
        server_(loop, [this](const http::ServerRequest&) { return answer(); }) {}

  http::Server& server() { return server_; }

 private:
  io::Task<http::ServerResponse> answer() {
    if (spec_.fails && fails_at(failure_, loop_.now() - started_)) {
      co_return http::ServerResponse{.status = 500, .body = "out of order\n", .fields = {}};
    }
    if (busy_ >= kSlots) {
      io::Event turn;
      waiting_.push_back(&turn);
      co_await turn;
    } else {
      ++busy_;
    }
    const double factor = -std::log1p(-rng_.uniform01());
    co_await loop_.sleep(Duration::from_seconds(spec_.mean.to_seconds() * factor));
    if (waiting_.empty()) {
      --busy_;
    } else {
      io::Event* next = waiting_.front();
      waiting_.pop_front();
      next->set();
    }
    co_return http::ServerResponse{.body = "hello from " + spec_.name + "\n", .fields = {}};
  }

  io::Loop& loop_;
  const DemoEndpointSpec& spec_;
  DemoFailure failure_;
  Time started_;
  Rng rng_;
  int busy_ = 0;
  std::deque<io::Event*> waiting_;
  http::Server server_;
};

DemoEndpoints::DemoEndpoints(std::vector<DemoEndpointSpec> specs, DemoFailure failure)
    : specs_(std::move(specs)), failure_(failure) {}

std::expected<std::unique_ptr<DemoEndpoints>, std::string> DemoEndpoints::start(
    std::vector<DemoEndpointSpec> specs, DemoFailure failure, std::uint64_t seed) {
  auto thread = service::LoopThread::start(io::EngineKind::kAuto);
  if (!thread) return std::unexpected(std::move(thread.error()));
  std::unique_ptr<DemoEndpoints> self(
      new DemoEndpoints(std::move(specs), failure));  // tidy: allow(new) private constructor
  self->thread_ = std::move(*thread);
  const std::string error = self->thread_->call([&]() -> std::string {
    io::Loop& loop = self->thread_->loop();
    self->started_ = loop.now();
    Rng rng(seed);
    for (const DemoEndpointSpec& spec : self->specs_) {
      self->endpoints_.push_back(
          std::make_unique<One>(loop, spec, failure, self->started_, rng.fork(spec.name)));
      auto bound = self->endpoints_.back()->server().listen(io::Address::loopback(0));
      if (!bound) return bound.error();
      self->addresses_.push_back(*bound);
    }
    return {};
  });
  if (!error.empty()) return std::unexpected(error);
  return self;
}

DemoEndpoints::~DemoEndpoints() {
  // Handlers that still sleep end first: they use what is destroyed here.
  for (int i = 0; i < 10'000; ++i) {
    const bool ended = thread_->call([&] {
      std::size_t open = 0;
      for (const auto& endpoint : endpoints_) {
        endpoint->server().close();
        open += endpoint->server().connections();
      }
      return open == 0;
    });
    if (ended) break;
  }
  thread_->call([&] { endpoints_.clear(); });
}

}  // namespace evener::cli
