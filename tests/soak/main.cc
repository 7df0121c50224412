// evener_soak: the whole service under many requests, a sixth of which is abandoned at a random
// place. At the end nothing may be in flight or open, memory must not have grown, every octet must
// be right.
//
//   evener_soak --requests 20000 --seed 1 --engine epoll
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <string>

#include "base/log.h"
#include "client.h"
#include "endpoint.h"
#include "service/service.h"

namespace evener::soak {
namespace {

constexpr std::size_t kClients = 96;
constexpr std::size_t kEndpoints = 4;
constexpr std::uint64_t kGrowthMax = 24u << 20;  // octets, from the end of the warm-up

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

struct Options {
  std::uint64_t requests = 20'000;
  std::uint64_t seed = 1;
  io::EngineKind engine = io::EngineKind::kAuto;
};

std::uint64_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  unsigned long long total = 0;
  unsigned long long resident = 0;
  if (file == nullptr || std::fscanf(file, "%llu %llu", &total, &resident) != 2) resident = 0;
  if (file != nullptr) std::fclose(file);
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

proxy::ConfigPtr make_config(const Endpoints& endpoints, io::EngineKind engine) {
  auto config = std::make_shared<config::Config>();
  config->listeners.emplace_back();
  config->listeners[0].name = "soak";
  config->listeners[0].address = {.host = "127.0.0.1", .port = 0, .ipv6 = false};
  config->pools.emplace_back();
  config->pools[0].name = "soak";
  for (const io::Address& address : endpoints.addresses()) {
    config::EndpointConfig endpoint;
    endpoint.address = {.host = "127.0.0.1", .port = address.port(), .ipv6 = false};
    endpoint.name = address.text();
    config->pools[0].endpoints.push_back(std::move(endpoint));
  }
  config->routes.emplace_back();
  config->routes[0].pool = "soak";
  config->workers = 2;
  config->engine =
      engine == io::EngineKind::kUring ? config::Engine::kUring : config::Engine::kEpoll;
  return config;
}

class Soak {
 public:
  Soak(Options options, io::Loop& control, service::Service& service)
      : options_(options), control_(control), service_(service) {}

  int run() {
    load();
    const admin::Snapshot end = settle();
    const std::uint64_t resident = resident_bytes();
    fmt::print("end: {} answered, {} abandoned, {} wrong, {:.1f} MB checked; RSS {:.1f} MB\n",
               tally_.answered, tally_.abandoned, tally_.wrong,
               static_cast<double>(tally_.bytes) / 1e6, static_cast<double>(resident) / 1e6);
    check(tally_.wrong == 0, tally_.first_wrong);
    check(tally_.answered + tally_.abandoned == tally_.requests, "requests without an end");
    check(end.counters.requests_open == 0, "exchanges still open");
    check(end.counters.connections_open == 0, "client connections still open");
    std::uint64_t failures = 0;
    for (const auto& endpoint : end.pools[0].endpoints) {
      check(endpoint.in_flight == 0, "in flight at " + endpoint.name);
      failures += endpoint.failures;
    }
    check(failures == 0, fmt::format("{} failures charged to good endpoints", failures));
    if (!kSanitized && warm_ > 0) {
      check(resident < warm_ + kGrowthMax,
            fmt::format("RSS grew from {} to {} octets", warm_, resident));
    }
    return failed_ ? 1 : 0;
  }

 private:
  void check(bool good, const std::string& what) {
    if (good) return;
    failed_ = true;
    fmt::print("FAILED: {}\n", what);
  }

  // Until all requests are over; prints ten lines on the way, measures memory after the first two.
  void load() {
    Clients clients(options_.engine, service_.addresses()[0], kClients, options_.requests,
                    options_.seed);
    std::uint64_t step = 1;
    for (;;) {
      control_.turn(control_.now() + Duration::milliseconds(20));
      tally_ = clients.tally();
      for (; step <= 10 && tally_.requests >= options_.requests * step / 10; ++step) {
        const std::uint64_t resident = resident_bytes();
        if (step == 2) warm_ = resident;
        fmt::print("{:>10} requests, RSS {:.1f} MB\n", tally_.requests,
                   static_cast<double>(resident) / 1e6);
        std::fflush(stdout);
      }
      if (tally_.running == 0) return;
    }
  }

  // The service's own view, when it has noticed that all clients are gone.
  admin::Snapshot settle() {
    admin::Snapshot last;
    const Time limit = control_.now() + Duration::seconds(20);
    for (;;) {
      bool here = false;
      service_.snapshot([&](admin::Snapshot snapshot) {
        last = std::move(snapshot);
        here = true;
      });
      while (!here) control_.turn(control_.now() + Duration::milliseconds(5));
      const bool quiet = last.counters.requests_open == 0 && last.counters.connections_open == 0;
      if (quiet || control_.now() > limit) return last;
    }
  }

  Options options_;
  io::Loop& control_;
  service::Service& service_;
  Tally tally_;
  std::uint64_t warm_ = 0;
  bool failed_ = false;
};

int soak(const Options& options) {
  fmt::print("soak: {} requests, seed {}, engine {}\n", options.requests, options.seed,
             options.engine == io::EngineKind::kUring ? "uring" : "epoll");
  if (auto probe = io::Loop::create(options.engine); !probe) {
    fmt::print("skipped: {}\n", probe.error());
    return 77;
  }
  auto control = io::Loop::create(io::EngineKind::kEpoll);
  Endpoints endpoints(options.engine, kEndpoints);
  auto service =
      service::Service::start(**control, make_config(endpoints, options.engine), options.seed);
  if (!service) {
    fmt::print("FAILED: {}\n", service.error());
    return 1;
  }
  const int code = Soak(options, **control, **service).run();
  bool drained = false;
  (*service)->drain([&] { drained = true; });
  while (!drained) (*control)->turn((*control)->now() + Duration::milliseconds(5));
  service->reset();
  return code;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string_view value = argv[i + 1];
    if (name == "--requests") {
      std::from_chars(value.data(), value.data() + value.size(), options.requests);
    } else if (name == "--seed") {
      std::from_chars(value.data(), value.data() + value.size(), options.seed);
    } else if (name == "--engine" && (value == "epoll" || value == "uring")) {
      options.engine = value == "epoll" ? io::EngineKind::kEpoll : io::EngineKind::kUring;
    } else {
      return false;
    }
  }
  if (options.engine == io::EngineKind::kAuto) options.engine = io::EngineKind::kEpoll;
  return argc % 2 == 1;
}

}  // namespace
}  // namespace evener::soak

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  evener::soak::Options options;
  if (!evener::soak::parse(argc, argv, options)) {
    fmt::print(stderr, "usage: evener_soak [--requests N] [--seed S] [--engine epoll|uring]\n");
    return 2;
  }
  return evener::soak::soak(options);
}
