#include "service/service.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "base/log.h"
#include "io/socket.h"

namespace evener::service {
namespace {

constexpr std::uint32_t kReservedDescriptors = 64;

io::EngineKind engine_kind(config::Engine engine) {
  switch (engine) {
    case config::Engine::kAuto:
      return io::EngineKind::kAuto;
    case config::Engine::kEpoll:
      return io::EngineKind::kEpoll;
    case config::Engine::kUring:
      return io::EngineKind::kUring;
  }
  return io::EngineKind::kAuto;
}

std::uint32_t worker_count(const config::Config& config) {
  if (config.workers != 0) return config.workers;
  return std::max(1u, std::thread::hardware_concurrency());
}

// Raises the soft descriptor limit to the hard one and returns how many client connections a worker
// may hold, so that as many descriptors stay for connections to endpoints.
std::uint32_t connections_per_worker(const config::Config& config, std::uint32_t workers) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const auto descriptors = std::min<std::uint64_t>(limit.rlim_cur, 1u << 30);
  const std::uint64_t usable =
      descriptors > 2 * kReservedDescriptors ? descriptors - kReservedDescriptors : descriptors / 2;
  const auto fits = static_cast<std::uint32_t>(std::max<std::uint64_t>(usable / (2 * workers), 1));
  if (config.limits.connections == 0) return fits;
  if (config.limits.connections > fits) {
    log(LogLevel::kWarning,
        fmt::format("limits.connections is {} per worker, but {} descriptors for {} workers allow "
                    "about {}; raise the limit (ulimit -n)",
                    config.limits.connections, descriptors, workers, fits));
  }
  return config.limits.connections;
}

std::expected<std::vector<EndpointSetPtr>, std::string> make_sets(const config::Config& config,
                                                                  std::uint32_t workers) {
  std::vector<EndpointSetPtr> sets;
  for (const config::Pool& pool : config.pools) {
    auto set = proxy::make_endpoint_set(pool, workers);
    if (!set) return std::unexpected(std::move(set.error()));
    sets.push_back(std::move(*set));
  }
  return sets;
}

// Workers share a port with SO_REUSEPORT, which would also let a second process in unseen.
std::expected<std::vector<io::Address>, std::string> free_addresses(const config::Config& config) {
  std::vector<io::Address> addresses;
  for (const config::Listener& listener : config.listeners) {
    auto address = io::Address::parse(config::to_string(listener.address));
    if (!address) return std::unexpected(std::move(address.error()));
    auto probe = io::make_listening_socket(*address, {}, true);
    if (!probe) return std::unexpected(std::move(probe.error()));
    addresses.push_back(*address);
  }
  return addresses;
}

}  // namespace

std::expected<std::unique_ptr<Service>, std::string> Service::start(io::Loop& control,
                                                                    proxy::ConfigPtr config,
                                                                    std::uint64_t seed) {
  const std::uint32_t workers = worker_count(*config);
  auto sets = make_sets(*config, workers);
  if (!sets) return std::unexpected(std::move(sets.error()));
  auto addresses = free_addresses(*config);
  if (!addresses) return std::unexpected(std::move(addresses.error()));
  std::unique_ptr<Service> self(new Service(control));  // tidy: allow(new) private constructor
  self->config_ = config;
  self->addresses_ = std::move(*addresses);
  const std::uint32_t connections = connections_per_worker(*config, workers);
  Rng seeds(seed);
  for (std::uint32_t i = 0; i < workers; ++i) {
    auto worker = WorkerThread::start({.config = config,
                                       .sets = *sets,
                                       .worker = {i, seeds.u64(), connections},
                                       .engine = engine_kind(config->engine),
                                       .addresses = self->addresses_});
    if (!worker) return std::unexpected(std::move(worker.error()));
    self->addresses_ = (*worker)->started().addresses;
    self->workers_.push_back(std::move(*worker));
  }
  if (config->admin) {
    self->admin_ = std::make_unique<admin::AdminServer>(
        control, [raw = self.get()](auto answer) { raw->snapshot(std::move(answer)); });
    auto address = io::Address::parse(config::to_string(config->admin->address));
    if (!address) return std::unexpected(std::move(address.error()));
    auto bound = self->admin_->listen(*address);
    if (!bound) return std::unexpected("admin: " + bound.error());
    self->admin_address_ = *bound;
    if (!bound->is_loopback()) {
      log(LogLevel::kWarning, fmt::format("admin listens on {}, which is not loopback: anyone who "
                                          "reaches it can read it",
                                          bound->text()));
    }
  }
  return self;
}

void Service::snapshot(std::move_only_function<void(admin::Snapshot)> answer) {
  struct Gathering {
    admin::Snapshot snapshot;
    std::size_t missing;
    std::move_only_function<void(admin::Snapshot)> answer;
  };
  auto gathering = std::make_shared<Gathering>(
      Gathering{.snapshot = {}, .missing = workers_.size(), .answer = std::move(answer)});
  gathering->snapshot.engine = engine();
  for (const auto& worker : workers_) {
    worker->report(control_, [gathering](admin::WorkerReport report) {
      admin::merge(gathering->snapshot, report);
      if (--gathering->missing == 0) gathering->answer(std::move(gathering->snapshot));
    });
  }
}

void Service::drain(std::move_only_function<void()> done) {
  if (admin_) admin_->set_draining();
  auto left = std::make_shared<std::size_t>(workers_.size());
  auto all_done = std::make_shared<std::move_only_function<void()>>(std::move(done));
  for (const auto& worker : workers_) {
    worker->drain(config_->timeouts.drain, control_, [left, all_done] {
      if (--*left == 0) (*all_done)();
    });
  }
}

}  // namespace evener::service
