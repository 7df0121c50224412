// `evener lab plan`: its words, and what they call.
//
// Owns the options that CLI11 writes into; lives as long as the App. Thread: main's.
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace evener::cli {

struct PlanWords {
  double rate = 0;
  std::string work = "exp(mean=0.01)";
  std::string p99;
  std::string delay = "const(mean=0)";
  std::uint32_t slots = 1;
  std::uint32_t balancers = 1;
  std::string policies = "evener,p2c,round_robin";
  std::uint32_t runs = 6;
  std::uint64_t calls = 40'000;
  std::uint64_t seed = 1;
  unsigned jobs = 0;  // 0: all cores
  std::string json;
  std::string html;

  void add_to(CLI::App& lab);
};

int lab_plan(const PlanWords& words);

}  // namespace evener::cli
