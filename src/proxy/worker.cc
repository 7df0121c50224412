#include "proxy/worker.h"

#include <algorithm>
#include <utility>

namespace evener::proxy {
namespace {

// How long handshakes under way when a drain begins get to end.
constexpr Duration kLastAccepts = Duration::milliseconds(100);

}  // namespace

http::ParserLimits parser_limits(const config::Limits& limits) {
  return {.head_bytes = limits.head_bytes,
          .target_bytes = limits.target_bytes,
          .trailer_bytes = limits.trailer_bytes,
          .chunk_extension_bytes = limits.chunk_extension_bytes,
          .field_count = limits.field_count};
}

Worker::DrainTimer::DrainTimer(Worker& w)
    : Timer([](Timer& timer) {
        static_cast<DrainTimer&>(timer).worker.for_each_client(&ClientConnection::abort);
      }),
      worker(w) {}

Worker::ListenTimer::ListenTimer(Worker& w)
    : Timer([](Timer& timer) { static_cast<ListenTimer&>(timer).worker.stop_listening(); }),
      worker(w) {}

Worker::Worker(io::Loop& loop, ConfigPtr config, const std::vector<EndpointSetPtr>& sets,
               Options options)
    : loop_(loop),
      config_(std::move(config)),
      router_(config_->routes),
      parser_limits_(proxy::parser_limits(config_->limits)),
      options_(options),
      idle_budget_{.limit = config_->limits.idle_endpoint_connections},
      drain_timer_(*this),
      listen_timer_(*this) {
  Rng seeds(options.seed);
  for (std::size_t i = 0; i < config_->pools.size(); ++i) {
    const config::Pool& pool = config_->pools[i];
    BalancerOptions balancer{.policy = pool.policy,
                             .seed = seeds.u64(),
                             .worker = options.index,
                             .ejection = pool.ejection,
                             .warm_up = pool.warm_up,
                             .max_in_flight = pool.limits.in_flight_per_endpoint};
    pools_.push_back(std::make_unique<Pool>(loop_, config_->pools[i], sets[i], std::move(balancer),
                                            idle_budget_));
  }
}

Worker::~Worker() = default;

std::expected<io::Address, std::string> Worker::listen(const io::Address& address) {
  auto listener = loop_.listen(address, {.reuse_port = true},
                               [this](io::StreamPtr stream) { accept(std::move(stream)); });
  if (!listener) return std::unexpected(std::move(listener.error()));
  listeners_.push_back(std::move(*listener));
  return listeners_.back()->address();
}

void Worker::accept(io::StreamPtr stream) {
  ++counters_.connections_accepted;
  clients_.emplace_front(*this, std::move(stream));
  counters_.connections_open = clients_.size();
  if (options_.connections_max != 0 && clients_.size() >= options_.connections_max && !paused_ &&
      !draining_) {
    paused_ = true;
    for (const auto& listener : listeners_) listener->pause();
  }
  clients_.front().start(clients_.begin());
}

void Worker::client_closed(ClientConnection& client) {
  clients_.erase(client.self());
  counters_.connections_open = clients_.size();
  if (paused_ && clients_.size() < options_.connections_max) {
    paused_ = false;
    for (const auto& listener : listeners_) listener->resume();
  }
  finish_drain_if_done();
}

void Worker::for_each_client(void (ClientConnection::*act)()) {
  for (auto at = clients_.begin(); at != clients_.end();) {
    ClientConnection& client = *at++;
    (client.*act)();
  }
}

void Worker::drain(Time deadline, std::move_only_function<void()> done) {
  draining_ = true;
  drained_ = std::move(done);
  loop_.timers().arm(drain_timer_, deadline);
  for_each_client(&ClientConnection::close_when_idle);
  if (deadline <= loop_.now()) return stop_listening();
  for (const auto& listener : listeners_) listener->stop();
  loop_.timers().arm(listen_timer_, std::min(deadline, loop_.now() + kLastAccepts));
}

void Worker::stop_listening() {
  listen_timer_.disarm();
  listeners_.clear();
  finish_drain_if_done();
}

void Worker::finish_drain_if_done() {
  if (!draining_ || !listeners_.empty() || !clients_.empty() || !drained_) return;
  drain_timer_.disarm();
  for (const auto& pool : pools_) pool->connections().close_all();
  auto done = std::exchange(drained_, nullptr);
  done();
}

}  // namespace evener::proxy
