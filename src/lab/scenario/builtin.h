// The scenarios that come with Evener: scenarios/*.yaml, built into the binary.
//
// Static data, any thread; generated at build time (src/lab/CMakeLists.txt).
#pragma once

#include <span>
#include <string_view>

namespace evener::lab {

struct BuiltinScenario {
  std::string_view file;  // "slow-one.yaml"
  std::string_view text;
};

// By file name.
std::span<const BuiltinScenario> builtin_scenarios();

}  // namespace evener::lab
