// The simulated network under the suite that the engines over sockets pass.
#include "io/stream_test_support.h"
#include "sim/net/engine.h"

namespace evener::io {
namespace {

template <bool eager>
std::unique_ptr<TestEngine> simulated() {
  struct Simulated final : TestEngine {
    sim::World world{1};
    sim::Network network{world, {}};
    sim::NetEngine* engine = nullptr;

    std::expected<std::unique_ptr<Loop>, std::string> make_loop() override {
      return sim::NetEngine::make_loop(network, network.add_host("a"), {.eager = eager}, engine);
    }
    void turn(Loop&, Time until) override {
      // What was armed outside of a turn, then the next thing to happen with all at its instant.
      engine->wake();
      while (world.step_until(world.now())) continue;
      if (!world.step_until(until)) world.run_until(until);
      while (world.step_until(world.now())) continue;
    }
  };
  return std::make_unique<Simulated>();
}

}  // namespace

std::vector<EngineUnderTest> engines_under_test() {
  return {{"simulated_eager", simulated<true>}, {"simulated_lazy", simulated<false>}};
}

}  // namespace evener::io
