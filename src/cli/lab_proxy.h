// `evener lab proxy`: its words, and what they call.
//
// Owns the options that CLI11 writes into; lives as long as the App. Thread: main's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace evener::cli {

struct ProxyWords {
  std::optional<std::uint64_t> seed;  // none: one of its own, which it says
  std::uint64_t seeds = 1;
  double minutes = 0;  // 0: `seeds` decides
  unsigned jobs = 0;   // 0: all cores
  std::string trace;
  std::string json;

  void add_to(CLI::App& lab);
};

int lab_proxy(const ProxyWords& words);

}  // namespace evener::cli
