#include <fmt/format.h>

#include <csignal>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/entropy.h"
#include "io/signals.h"
#include "service/service.h"

namespace evener::cli {
namespace {

std::optional<config::Engine> engine_of(const std::string& name) {
  if (name == "auto") return config::Engine::kAuto;
  if (name == "epoll") return config::Engine::kEpoll;
  if (name == "uring") return config::Engine::kUring;
  return std::nullopt;
}

void announce(const service::Service& service, const config::Config& config, std::uint64_t seed) {
  for (std::size_t i = 0; i < service.addresses().size(); ++i) {
    log(LogLevel::kInfo, fmt::format("listener '{}' on {}", config.listeners[i].name,
                                     service.addresses()[i].text()));
  }
  if (service.admin_address()) {
    log(LogLevel::kInfo, fmt::format("admin on http://{}/ (healthz, metrics, endpoints)",
                                     service.admin_address()->text()));
  }
  log(LogLevel::kInfo,
      fmt::format("{} worker{}, engine {}{}, seed {}", service.workers(),
                  service.workers() == 1 ? "" : "s", service.engine(),
                  service.engine_note().empty() ? "" : fmt::format(" ({})", service.engine_note()),
                  seed));
}

}  // namespace

int run(const RunOptions& options) {
  auto config = read_config(options.config);
  if (!config) return kExitFailed;
  if (options.engine) config->engine = *engine_of(*options.engine);
  if (options.workers) config->workers = *options.workers;
  auto control = io::Loop::create(io::EngineKind::kEpoll);
  if (!control) {
    log(LogLevel::kError, control.error());
    return kExitFailed;
  }
  io::Loop& loop = **control;
  std::unique_ptr<service::Service> service;
  int signals = 0;
  io::SignalWatcher watcher(loop, {SIGINT, SIGTERM}, [&](int signal) {
    if (++signals > 1 || !service) {
      log(LogLevel::kWarning, "stopping at once");
      return loop.stop();
    }
    log(LogLevel::kInfo, fmt::format("{}: draining; once more to stop at once",
                                     signal == SIGINT ? "SIGINT" : "SIGTERM"));
    service->drain([&] {
      log(LogLevel::kInfo, "drained");
      loop.stop();
    });
  });
  const std::uint64_t seed = options.seed.value_or(random_seed());
  auto shared = std::make_shared<const config::Config>(std::move(*config));
  auto started = service::Service::start(loop, shared, seed);
  if (!started) {
    log(LogLevel::kError, started.error());
    return kExitFailed;
  }
  service = std::move(*started);
  announce(*service, *shared, seed);
  loop.run();
  service.reset();
  for (int i = 0; i < 3; ++i) loop.turn(loop.now());
  return kExitGood;
}

}  // namespace evener::cli
