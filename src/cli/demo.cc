#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <map>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/demo_endpoints.h"
#include "cli/demo_load.h"
#include "cli/demo_view.h"
#include "cli/entropy.h"
#include "io/event.h"
#include "io/signals.h"
#include "service/service.h"

namespace evener::cli {
namespace {

// Off a terminal nobody can press Ctrl-C: the demo ends by itself.
constexpr double kSecondsOffTerminal = 15;
constexpr double kCycleSeconds = 20;

config::Address to_config(const io::Address& address) {
  return {.host = address.host_text(), .port = address.port(), .ipv6 = address.is_v6()};
}

config::Config demo_config(const DemoOptions& options, const DemoEndpoints& endpoints) {
  config::Config config;
  config.listeners.push_back(
      {.name = "demo", .address = to_config(io::Address::loopback(options.port)), .mark = {}});
  config.routes.push_back({.match = {}, .pool = "demo", .mark = {}});
  config::Pool pool{.name = "demo",
                    .endpoints = {},
                    .policy = {},
                    .key = {},
                    .ejection = {},
                    .warm_up = {},
                    .timeouts = {},
                    .limits = {},
                    .mark = {}};
  pool.policy.name = options.policy;
  // Short, so that a demo of seconds shows the way out and back.
  pool.ejection.base = Duration::seconds(2);
  pool.warm_up.window = Duration::seconds(3);
  for (std::size_t i = 0; i < endpoints.specs().size(); ++i) {
    pool.endpoints.push_back({.address = to_config(endpoints.addresses()[i]),
                              .name = endpoints.specs()[i].name,
                              .mark = {}});
  }
  config.pools.push_back(std::move(pool));
  config.admin = config::Admin{.address = to_config(io::Address::loopback(0)), .mark = {}};
  config.workers = options.workers;
  config.engine = options.engine == "epoll"   ? config::Engine::kEpoll
                  : options.engine == "uring" ? config::Engine::kUring
                                              : config::Engine::kAuto;
  return config;
}

// Everything the demo runs, in the order in which it must end: last first.
class Demo {
 public:
  explicit Demo(const DemoOptions& options)
      : options_(options), terminal_(::isatty(STDOUT_FILENO) == 1), view_(terminal_) {}

  std::string start(io::Loop& control);
  io::Task<void> show(io::Loop& control);
  void end(io::Loop& control);
  void interrupt() { interrupted_ = true; }
  void print_summary();

 private:
  io::Task<DemoFrame> frame();
  double seconds() const {
    return options_.seconds > 0 ? options_.seconds : terminal_ ? 0 : kSecondsOffTerminal;
  }

  const DemoOptions& options_;
  bool terminal_;
  bool interrupted_ = false;
  Time started_;
  Time last_frame_;
  std::map<std::string, std::uint64_t> last_picks_;
  DemoView view_;
  std::unique_ptr<DemoEndpoints> endpoints_;
  std::unique_ptr<service::Service> service_;
  std::unique_ptr<DemoLoad> load_;
  DemoFrame total_;
  io::Loop* control_ = nullptr;
};

std::string Demo::start(io::Loop& control) {
  control_ = &control;
  const std::uint64_t seed = options_.seed.value_or(random_seed());
  Rng seeds(seed);
  const double period = options_.seconds > 0 ? options_.seconds : kCycleSeconds;
  auto endpoints = DemoEndpoints::start(demo_endpoint_specs(),
                                        {.period = Duration::from_seconds(period),
                                         .from = Duration::from_seconds(0.4 * period),
                                         .until = Duration::from_seconds(0.7 * period)},
                                        seeds.u64());
  if (!endpoints) return endpoints.error();
  endpoints_ = std::move(*endpoints);
  auto config = std::make_shared<const config::Config>(demo_config(options_, *endpoints_));
  auto service = service::Service::start(control, config, seeds.u64());
  if (!service) return service.error();
  service_ = std::move(*service);
  auto load = DemoLoad::start(service_->addresses().front(), options_.load, seeds.u64());
  if (!load) return load.error();
  load_ = std::move(*load);
  started_ = last_frame_ = control.now();
  if (!options_.json) {
    fmt::print(
        "evener demo: policy {}, {} worker{}, engine {}, seed {}\n"
        "  proxy on http://{}/   metrics on http://{}/metrics\n"
        "  {:.0f} requests/s, open loop; flaky-6 answers 500 from {:.0f} s to {:.0f} s of every "
        "{:.0f} s\n\n",
        options_.policy, service_->workers(), service_->workers() == 1 ? "" : "s",
        service_->engine(), seed, service_->addresses().front().text(),
        service_->admin_address()->text(), options_.load, 0.4 * period, 0.7 * period, period);
  }
  return {};
}

io::Task<DemoFrame> Demo::frame() {
  io::Event ready;
  admin::Snapshot snapshot;
  service_->snapshot([&](admin::Snapshot value) {
    snapshot = std::move(value);
    ready.set();
  });
  co_await ready;
  const Time now = control_->now();
  DemoFrame frame{.elapsed_seconds = (now - started_).to_seconds(),
                  .requests_per_second = 0,
                  .policy = options_.policy,
                  .engine = snapshot.engine,
                  .workers = snapshot.workers,
                  .load = load_->stats(),
                  .rows = {}};
  std::uint64_t picks = 0;
  for (const admin::EndpointReport& e : snapshot.pools.front().endpoints) {
    picks += e.picks - last_picks_[e.name];
  }
  for (std::size_t i = 0; i < snapshot.pools.front().endpoints.size(); ++i) {
    const admin::EndpointReport& e = snapshot.pools.front().endpoints[i];
    const double share = picks == 0 ? 0
                                    : static_cast<double>(e.picks - last_picks_[e.name]) /
                                          static_cast<double>(picks);
    frame.rows.push_back({.name = e.name,
                          .what = endpoints_->specs()[i].what,
                          .share = share,
                          .picks = e.picks,
                          .failures = e.failures,
                          .in_flight = e.in_flight,
                          .latency = e.latency,
                          .success = e.success,
                          .failures_in_row = e.failures_in_row,
                          .state = e.state});
    last_picks_[e.name] = e.picks;
  }
  const double interval = (now - last_frame_).to_seconds();
  if (interval > 0) frame.requests_per_second = static_cast<double>(picks) / interval;
  last_frame_ = now;
  co_return frame;
}

io::Task<void> Demo::show(io::Loop& control) {
  const Duration every = terminal_ ? Duration::milliseconds(500) : Duration::seconds(2);
  const Time end = seconds() > 0 ? started_ + Duration::from_seconds(seconds()) : Time::never();
  Time next = started_ + every;
  while (!interrupted_ && control.now() < end) {
    // Short sleeps, so that Ctrl-C is not kept waiting for the next frame.
    co_await control.sleep_until(std::min({next, end, control.now() + Duration::milliseconds(50)}));
    if (control.now() < next) continue;
    next = next + every;
    const DemoFrame now = co_await frame();
    if (!options_.json) view_.draw(now);
  }
  load_->stop();
  last_picks_.clear();
  total_ = co_await frame();
  total_.elapsed_seconds = (control.now() - started_).to_seconds();
  service_->drain([&control] { control.stop(); });
}

void Demo::print_summary() {
  fmt::print("{}", options_.json ? summary_json(total_) : summary_text(total_));
}

void Demo::end(io::Loop& control) {
  load_.reset();
  service_.reset();
  endpoints_.reset();
  for (int i = 0; i < 3; ++i) control.turn(control.now());
}

}  // namespace

int demo(const DemoOptions& options) {
  auto control = io::Loop::create(io::EngineKind::kEpoll);
  if (!control) {
    log(LogLevel::kError, control.error());
    return kExitFailed;
  }
  io::Loop& loop = **control;
  Demo demo(options);
  int signals = 0;
  io::SignalWatcher watcher(loop, {SIGINT, SIGTERM}, [&](int) {
    demo.interrupt();
    if (++signals > 1) loop.stop();
  });
  if (const std::string error = demo.start(loop); !error.empty()) {
    log(LogLevel::kError, error);
    demo.end(loop);
    return kExitFailed;
  }
  io::spawn(demo.show(loop));
  loop.run();
  demo.print_summary();
  demo.end(loop);
  return kExitGood;
}

}  // namespace evener::cli
