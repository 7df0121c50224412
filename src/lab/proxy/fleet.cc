#include "lab/proxy/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/check.h"
#include "config/parse.h"
#include "io/frame_pool.h"
#include "lab/proxy/client.h"
#include "lab/proxy/endpoint.h"
#include "lab/proxy/proxy_process.h"

namespace evener::lab::fleet {
namespace {

constexpr Duration kQuiet = Duration::seconds(60);  // for the last exchanges of a phase to end
// While all settles: enough for trials and warm-up.
constexpr double kSettleRate = 20;

class Run final : public sim::Actor {
 public:
  Run(const FleetPlan& plan, const std::function<void(std::string_view)>& trace);
  FleetResult go();

 private:
  struct ProxyHost {
    sim::HostId host{};
    std::vector<std::unique_ptr<ProxyProcess>> processes;  // all incarnations
    std::uint32_t incarnation = 0;
  };
  struct EndpointHost {
    sim::HostId host{};
    std::uint32_t pool = 0;
    std::vector<std::unique_ptr<EndpointProcess>> processes;
    bool runs = false;  // the last of them
  };

  struct Setup {
    proxy::ConfigPtr config;
    std::vector<EndpointSetPtr> sets;
  };

  void build();
  Setup set_up(const std::vector<std::string>& addresses, bool next);
  void start_proxy(ProxyHost& proxy);
  void start_endpoint(EndpointHost& endpoint);
  void end_endpoint(EndpointHost& endpoint, bool kill);
  void fire(std::uint64_t payload) override;
  void begin(const Fault& fault);
  void end(const Fault& fault);
  void run_for(Duration d) { world_.run_until(world_.now() + d); }
  // Runs until `condition` holds, at most for `limit`; whether it does.
  template <class Condition>
  bool run_until(Duration limit, Condition condition);
  void load(double rate) {
    for (const auto& client : clients_) client->start(rate / plan_.clients);
  }
  void take_down();
  void each_proxy(ProxyHost& host, void (*act)(ProxyProcess&));
  std::uint64_t final_draw();

  EndpointHost& endpoint(const Fault& fault) {
    return endpoints_[fault.target % endpoints_.size()];
  }
  ProxyHost& proxy(const Fault& fault) { return proxies_[fault.target % proxies_.size()]; }

  const FleetPlan& plan_;
  std::size_t frames_before_ = io::frames_out();
  sim::World world_;
  sim::Network network_;
  Ledger ledger_;
  RunState state_;
  Rng luck_;
  std::array<Setup, 2> setups_;  // taken in turn by a proxy's incarnations
  std::vector<ProxyHost> proxies_;
  std::vector<EndpointHost> endpoints_;
  sim::HostId client_host_{};
  std::vector<std::unique_ptr<ClientProcess>> clients_;
};

Run::Run(const FleetPlan& plan, const std::function<void(std::string_view)>& trace)
    : plan_(plan),
      world_(plan.seed),
      network_(world_, plan.link),
      ledger_(world_),
      state_{plan_, world_, network_, ledger_},
      luck_(world_.stream("fleet")) {
  // The rest of a request may follow: an endpoint may end its direction first and still read.
  network_.on_late_write = [this](const sim::Connection& connection, std::string_view bytes) {
    if (!bytes.contains(" HTTP/1.1\r\n")) return;
    ledger_.violation(fmt::format("c{}: {} used a connection whose end it had read",
                                  connection.number(),
                                  network_.name(connection.party(sim::Side::kClient).host)));
  };
  if (!trace) return;
  const auto stamped = [this, trace](std::string_view line) {
    trace(fmt::format("{:12.6f} {}", (world_.now() - Time()).to_seconds(), line));
  };
  network_.on_trace = stamped;
  ledger_.on_note = stamped;
}

void Run::build() {
  client_host_ = network_.add_host("clients");
  std::vector<std::string> addresses;
  for (std::uint32_t i = 0; i < plan_.endpoints; ++i) {
    EndpointHost& made = endpoints_.emplace_back();
    made.host = network_.add_host(fmt::format("endpoint{}", i));
    made.pool = i % plan_.pools;
    addresses.push_back(network_.address(made.host, EndpointProcess::kPort).text());
    start_endpoint(made);
  }
  for (const bool next : {false, true}) setups_[next ? 1 : 0] = set_up(addresses, next);
  std::vector<io::Address> proxy_addresses;
  for (std::uint32_t i = 0; i < plan_.proxies; ++i) {
    ProxyHost& made = proxies_.emplace_back();
    made.host = network_.add_host(fmt::format("proxy{}", i));
    proxy_addresses.push_back(network_.address(made.host, 80));
    start_proxy(made);
  }
  for (std::uint32_t i = 0; i < plan_.clients; ++i) {
    clients_.push_back(std::make_unique<ClientProcess>(state_, client_host_, proxy_addresses,
                                                       luck_.fork("client")));
  }
  for (std::size_t i = 0; i < plan_.faults.size(); ++i) {
    world_.at(plan_.faults[i].at, *this, i << 1);
    world_.at(plan_.faults[i].until, *this, i << 1 | 1);
  }
}

Run::Setup Run::set_up(const std::vector<std::string>& addresses, bool next) {
  const std::string yaml = plan_.config_yaml(addresses, next);
  ledger_.note((next ? "the next configuration:\n" : "configuration:\n") + yaml);
  auto parsed = config::parse(yaml, "fleet.yaml");
  EV_CHECK(parsed.has_value(), parsed.error().front().message);
  Setup setup{std::make_shared<const config::Config>(std::move(*parsed)), {}};
  for (const config::Pool& pool : setup.config->pools) {
    setup.sets.push_back(proxy::make_endpoint_set(pool, plan_.workers).value());
  }
  return setup;
}

void Run::start_proxy(ProxyHost& proxy) {
  const std::uint32_t incarnation = proxy.incarnation++;
  const Setup& setup = setups_[incarnation % setups_.size()];
  for (std::uint32_t w = 0; w < plan_.workers; ++w) {
    proxy.processes.push_back(std::make_unique<ProxyProcess>(
        state_, proxy.host, setup.config, setup.sets, w,
        fmt::format("{}.{}.{}", network_.name(proxy.host), incarnation, w), luck_.fork("proxy")));
  }
}

void Run::start_endpoint(EndpointHost& endpoint) {
  if (std::exchange(endpoint.runs, true)) return;
  // One that is frozen still has the port: as supervisors do after a while.
  if (!endpoint.processes.empty()) endpoint.processes.back()->engine().kill();
  endpoint.processes.push_back(std::make_unique<EndpointProcess>(
      state_, endpoint.host, endpoint.pool, luck_.fork("endpoint")));
}

void Run::end_endpoint(EndpointHost& endpoint, bool kill) {
  if (!std::exchange(endpoint.runs, false)) return;
  EndpointProcess& live = *endpoint.processes.back();
  if (kill) live.engine().kill();
  live.stop();
}

void Run::each_proxy(ProxyHost& host, void (*act)(ProxyProcess&)) {
  for (const auto& process : host.processes) {
    if (!process->ending()) act(*process);
  }
}

void Run::fire(std::uint64_t payload) {
  const Fault& fault = plan_.faults[payload >> 1];
  const bool ends = (payload & 1) != 0;
  ledger_.note(fmt::format("FAULT {} {} on {}", to_string(fault.kind), ends ? "ends" : "begins",
                           fault.target));
  if (ends) {
    end(fault);
  } else {
    begin(fault);
  }
}

void Run::begin(const Fault& fault) {
  EndpointHost& e = endpoint(fault);
  ProxyHost& p = proxy(fault);
  switch (fault.kind) {
    case FaultKind::kKillEndpoint:
      return end_endpoint(e, true);
    case FaultKind::kFreezeEndpoint:
      return e.processes.back()->engine().freeze_until(fault.until);
    case FaultKind::kPartitionEndpoint:
      return network_.close_way(p.host, e.host);
    case FaultKind::kPartitionClient:
      return network_.close_way(client_host_, p.host);
    case FaultKind::kDownEndpoint:
      return network_.set_down(e.host, true);
    case FaultKind::kUnreachable:
      return network_.set_unreachable(e.host, true);
    case FaultKind::kSlowEndpoint:
      return e.processes.back()->set_slowness(20);
    case FaultKind::kCut:
      network_.cut_connections(e.host, fault.amount, luck_);
      return;
    case FaultKind::kCutClients:
      network_.cut_connections(client_host_, fault.amount, luck_);
      return;
    case FaultKind::kFewDescriptors:
      for (const auto& process : p.processes) {
        process->engine().options().descriptors_max =
            process->engine().descriptors() + static_cast<std::size_t>(fault.amount * 10);
      }
      return;
    case FaultKind::kFreezeProxy:
      for (const auto& process : p.processes) process->engine().freeze_until(fault.until);
      return;
    case FaultKind::kKillProxy:
      return each_proxy(p, [](ProxyProcess& process) { process.kill(); });
    case FaultKind::kRollProxy: {
      // The successor listens before the old one lets go.
      std::vector<ProxyProcess*> old;
      for (const auto& process : p.processes) {
        if (!process->ending()) old.push_back(process.get());
      }
      start_proxy(p);
      for (ProxyProcess* process : old) process->drain();
      return;
    }
    case FaultKind::kRollEndpoints:
      for (EndpointHost& each : endpoints_) end_endpoint(each, false);
      return;
  }
}

void Run::end(const Fault& fault) {
  EndpointHost& e = endpoint(fault);
  ProxyHost& p = proxy(fault);
  switch (fault.kind) {
    case FaultKind::kKillEndpoint:
      return start_endpoint(e);
    case FaultKind::kPartitionEndpoint:
      return network_.open_way(p.host, e.host);
    case FaultKind::kPartitionClient:
      return network_.open_way(client_host_, p.host);
    case FaultKind::kDownEndpoint:
      return network_.set_down(e.host, false);
    case FaultKind::kUnreachable:
      return network_.set_unreachable(e.host, false);
    case FaultKind::kSlowEndpoint:
      return e.processes.back()->set_slowness(1);
    case FaultKind::kFewDescriptors:
      for (const auto& process : p.processes) {
        process->engine().options().descriptors_max = plan_.proxy_process.descriptors_max;
      }
      return;
    case FaultKind::kKillProxy:
      return start_proxy(p);
    case FaultKind::kRollEndpoints:
      for (EndpointHost& each : endpoints_) start_endpoint(each);
      return;
    case FaultKind::kFreezeEndpoint:
    case FaultKind::kFreezeProxy:
    case FaultKind::kCut:
    case FaultKind::kCutClients:
    case FaultKind::kRollProxy:
      return;
  }
}

template <class Condition>
bool Run::run_until(Duration limit, Condition condition) {
  const Time end = world_.now() + limit;
  while (!condition()) {
    if (world_.now() >= end) return false;
    run_for(Duration::milliseconds(10));
  }
  return true;
}

FleetResult Run::go() {
  build();
  load(plan_.rate);
  world_.run_until(Time() + plan_.faulty);
  ledger_.note("everything heals");
  state_.healed = true;
  load(std::min(plan_.rate, kSettleRate));
  run_for(plan_.settle);
  load(plan_.rate);
  ledger_.note("from here on every request must succeed");
  ledger_.demand_success();
  run_for(plan_.proof);
  for (const auto& client : clients_) client->stop();
  const bool quiet = run_until(
      kQuiet, [this] { return std::ranges::all_of(clients_, [](auto& c) { return c->quiet(); }); });
  if (!quiet) ledger_.violation("clients still wait a minute after the last request");
  run_for(Duration::seconds(1));
  for (ProxyHost& host : proxies_) each_proxy(host, [](ProxyProcess& p) { p.expect_idle(); });
  take_down();
  ledger_.close();
  FleetResult result;
  result.seed = plan_.seed;
  result.violations = ledger_.violations();
  result.counts = ledger_.counts();
  result.seconds = (world_.now() - Time()).to_seconds();
  result.connections = network_.connections_made();
  result.events = world_.fired();
  result.digest = network_.digest();
  result.final_draw = final_draw();
  return result;
}

void Run::take_down() {
  for (ProxyHost& host : proxies_) each_proxy(host, [](ProxyProcess& p) { p.drain(); });
  run_until(Duration::seconds(20), [this] {
    return std::ranges::all_of(proxies_, [](const ProxyHost& host) {
      return std::ranges::all_of(host.processes, [](auto& p) { return p->gone(); });
    });
  });
  for (EndpointHost& host : endpoints_) host.processes.back()->stop();
  run_until(Duration::seconds(10), [this] {
    return std::ranges::all_of(endpoints_, [](const EndpointHost& host) {
      return std::ranges::all_of(host.processes, [](auto& p) { return p->quiet(); });
    });
  });
  for (ProxyHost& host : proxies_) {
    for (const auto& process : host.processes) {
      if (!process->gone()) ledger_.violation(process->name() + " did not end");
    }
  }
  run_for(Duration::seconds(5));
  network_.reap();
  if (network_.connections() > 0) {
    ledger_.violation(fmt::format("{} connections are left", network_.connections()));
  }
  if (io::frames_out() != frames_before_) {
    ledger_.violation(
        fmt::format("{} coroutine frames are left", io::frames_out() - frames_before_));
  }
}

std::uint64_t Run::final_draw() {
  std::uint64_t folded = network_.final_draw() ^ luck_.u64();
  for (const auto& client : clients_) folded = mix64(folded ^ client->luck().u64());
  for (EndpointHost& host : endpoints_) {
    for (const auto& process : host.processes) folded = mix64(folded ^ process->luck().u64());
  }
  for (ProxyHost& host : proxies_) {
    for (const auto& process : host.processes) folded = mix64(folded ^ process->luck().u64());
  }
  return folded;
}

}  // namespace

FleetResult run_fleet(const FleetPlan& plan, const std::function<void(std::string_view)>& trace) {
  const auto run = std::make_unique<Run>(plan, trace);
  return run->go();
}

}  // namespace evener::lab::fleet
