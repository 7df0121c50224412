// sim_bench: how fast the simulator is: calls per second and core, and bytes per server.
//
//   supermarket/POLICY/N: FCFS servers, exponential work, Poisson arrivals at load 0.9, one real
//   Balancer. items_per_second is calls per second of CPU; mean is the mean time in service times.
//   events: the World alone, n actors that ask for their next event; items are events.
//   memory/N: builds such a fleet and runs it until it is full; bytes_per_server is the growth of
//   the resident set's peak, so run it alone (--benchmark_filter=memory).
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <string>

#include "sim/balancer_chooser.h"
#include "sim/fleet.h"

namespace {

using namespace evener;
using namespace evener::sim;

constexpr double kWork = 0.01;  // s

FleetOptions supermarket(const std::string& policy, std::uint32_t servers, std::uint64_t calls) {
  FleetOptions options;
  options.servers = {{.count = servers}};
  options.chooser = balancer_choosers(PolicySettings{.name = policy});
  options.arrivals = Arrivals::poisson(0.9 * servers / kWork);
  options.work = Distribution::exponential(kWork);
  options.calls = calls;
  options.warm_up_calls = calls / 10;
  return options;
}

void run_supermarket(benchmark::State& state, const std::string& policy) {
  const auto servers = static_cast<std::uint32_t>(state.range(0));
  FleetOptions options = supermarket(policy, servers, 5'000'000);
  double mean = 0;
  for (auto _ : state) {
    ++options.seed;
    mean = Fleet(options).run().times.mean_s() / kWork;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(options.calls) *
                          static_cast<std::int64_t>(state.iterations()));
  state.counters["mean"] = mean;
}

class Metronome final : public Actor {
 public:
  explicit Metronome(World& world) : world_(world), rng_(world.stream("events")) {}
  void fire(std::uint64_t payload) override {
    world_.after(Duration::nanoseconds(static_cast<std::int64_t>(rng_.below(1'000'000))), *this,
                 payload);
  }

 private:
  World& world_;
  Rng rng_;
};

void events(benchmark::State& state) {
  World world(1);
  Metronome metronome(world);
  for (std::int64_t i = 0; i < state.range(0); ++i) metronome.fire(0);
  for (auto _ : state) world.step();
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void memory(benchmark::State& state) {
  const auto servers = static_cast<std::uint32_t>(state.range(0));
  const double before = peak_bytes();
  const FleetOptions options = supermarket("p2c", servers, std::uint64_t{servers} * 10);
  double queue = 0;
  for (auto _ : state) queue = Fleet(options).run().mean_queue;
  state.counters["bytes_per_server"] = (peak_bytes() - before) / servers;
  state.counters["mean_queue"] = queue;
  state.SetItemsProcessed(static_cast<std::int64_t>(options.calls));
}

BENCHMARK_CAPTURE(run_supermarket, p2c, "p2c")->Arg(100)->Arg(1000)->Arg(10'000);
BENCHMARK_CAPTURE(run_supermarket, least_request, "least_request")->Arg(1000);
BENCHMARK_CAPTURE(run_supermarket, peak_ewma, "peak_ewma")->Arg(1000);
BENCHMARK(events)->Arg(1000)->Arg(100'000);
BENCHMARK(memory)->Arg(1'000'000)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
