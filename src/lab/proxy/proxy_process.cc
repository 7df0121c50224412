#include "lab/proxy/proxy_process.h"

#include <fmt/format.h>

#include <algorithm>

namespace evener::lab::fleet {
namespace {

// Broken connections need a few turns to end after the drain's limit.
constexpr Duration kDrainSlack = Duration::milliseconds(500);
// How EndpointStatus::reason says that an ejection lasts.
constexpr std::string_view kOut = "ejected for another";

}  // namespace

ProxyProcess::ProxyProcess(RunState& run, sim::HostId host, proxy::ConfigPtr config,
                           const std::vector<EndpointSetPtr>& sets, std::uint32_t index,
                           std::string name, Rng luck)
    : Process(run, host, run.plan.proxy_process, luck),
      name_(std::move(name)),
      config_(std::move(config)) {
  worker_ = std::make_unique<proxy::Worker>(
      loop(), config_, sets,
      proxy::Worker::Options{
          .index = index, .seed = this->luck().u64(), .connections_max = run.plan.connections_max});
  before_.resize(worker_->pools());
  engine().on_turn = [this] { check_turn(); };
  post([this] {
    const auto& listener = config_->listeners.front();
    auto bound = worker_->listen(io::Address::parse(config::to_string(listener.address)).value());
    expect(bound.has_value(), "listens");
  });
}

void ProxyProcess::expect(bool holds, std::string_view what) {
  if (!holds) run().ledger.violation(fmt::format("{}: broken rule: {}", name_, what));
}

void ProxyProcess::drain() { drain_within(config_->timeouts.drain); }

void ProxyProcess::kill() {
  engine().kill();
  drain_within(Duration());
}

void ProxyProcess::drain_within(Duration limit) {
  if (ending_) return;
  ending_ = true;
  run().ledger.note(fmt::format("{} drains", name_));
  post([this, limit] {
    drain_limit_ = loop().now() + limit;
    worker_->drain(loop().now() + limit, [this] { drained_ = true; });
  });
}

void ProxyProcess::check_turn() {
  if (gone_) return;
  const std::uint32_t most = run().plan.connections_max;
  // A drain takes in whoever waits in the kernel's queue: nobody who was let in is lost.
  expect(most == 0 || worker_->draining() || worker_->clients() <= most,
         "no more clients than connections_max");
  expect(worker_->idle_endpoint_connections() <= config_->limits.idle_endpoint_connections,
         "no more idle connections than limits.idle_endpoint_connections");
  for (std::size_t i = 0; i < worker_->pools(); ++i) check_picks(i);
  if (drained_ && engine().descriptors() == 0) check_home();
}

// An endpoint that was left out before this turn and after it was not picked in between, if others
// could be.
void ProxyProcess::check_picks(std::size_t pool) {
  Balancer& balancer = worker_->pool(pool).balancer();
  std::vector<EndpointStatus>& old = before_[pool];
  const std::size_t all = balancer.set()->endpoints().size();
  if (balancer.eligible() == all && (old.empty() || run().plan.in_flight_max == 0)) {
    old.clear();
    return;
  }
  balancer.snapshot(loop().now(), now_);
  const bool others = std::ranges::any_of(now_, &EndpointStatus::eligible) &&
                      std::ranges::any_of(old, &EndpointStatus::eligible);
  for (std::size_t i = 0; i < old.size(); ++i) {
    const EndpointStatus& was = old[i];
    const EndpointStatus& is = now_[i];
    if (run().plan.in_flight_max > 0) {
      expect(is.in_flight <= run().plan.in_flight_max, "in flight within the limit");
    }
    // Not while it waits for a trial request or has one.
    const bool out = was.reason.starts_with(kOut) && is.reason.starts_with(kOut);
    if (out && others && is.picks > was.picks) {
      run().ledger.violation(
          fmt::format("{}: {} was picked although out ({}) while others are eligible", name_,
                      is.name, is.reason));
    }
  }
  old.swap(now_);
}

void ProxyProcess::expect_idle() {
  if (gone_ || ending_) return;
  expect(worker_->counters().requests_open == 0, "no request is open");
  for (std::size_t i = 0; i < worker_->pools(); ++i) {
    expect(worker_->pool(i).balancer().in_flight() == 0, "nothing is in flight");
  }
}

void ProxyProcess::check_home() {
  gone_ = true;
  const Time limit = std::max(drain_limit_, engine().frozen_until()) + kDrainSlack;
  expect(loop().now() <= limit, "a drain ends within its time");
  expect(worker_->counters().requests_open == 0, "no request is open after a drain");
  for (std::size_t i = 0; i < worker_->pools(); ++i) {
    expect(worker_->pool(i).balancer().in_flight() == 0, "all tickets are back");
  }
  expect(worker_->clients() == 0, "no client is left after a drain");
  expect(worker_->idle_endpoint_connections() == 0, "no idle connection is left after a drain");
  expect(loop().buffers().blocks_out() == 0, "all buffers are back");
  expect(loop().timers().size() == 0, "no timer is left");
  expect(engine().descriptors() == 0, "no descriptor is left");
  run().ledger.note(fmt::format("{} is gone", name_));
}

}  // namespace evener::lab::fleet
