// `evener lab scenario`, `scoreboard` and `merge`: their words, and what they call.
//
// Owns the options that CLI11 writes into; lives as long as the App. Thread: main's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace evener::cli {

struct ContestWords {
  std::vector<std::string> files;
  std::string policies;
  std::uint64_t seed = 1;
  unsigned jobs = 0;  // 0: all cores
  double scale = 1;
  bool details = false;
  std::string shard;  // "I/N"
  std::string out;
  std::string json;
  std::string csv;
  std::string html;

  void add_to(CLI::App& lab);
};

int lab_scenario(const ContestWords& words);
int lab_scoreboard(const ContestWords& words);
int lab_merge(const ContestWords& words);

}  // namespace evener::cli
