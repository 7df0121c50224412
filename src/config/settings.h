// The one table of settings: path, default and meaning of every key that has a default.
//
// Static data, any thread. `evener check`, the reference page and the tests read it; a test
// compares it with the defaults in config.h and with docs/reference/configuration.md.
#pragma once

#include <span>
#include <string_view>

namespace evener::config {

struct SettingInfo {
  std::string_view path;           // "pools.*.timeouts.connect"
  std::string_view default_value;  // as one would write it: "1s"
  std::string_view meaning;
};

std::span<const SettingInfo> settings();

}  // namespace evener::config
