// Reading a configuration file: text from disk, then config::parse; problems go to standard error.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/parse.h"

namespace evener::cli {

// Exit codes that scripts can trust.
inline constexpr int kExitGood = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

// Names that `policy:` accepts.
std::vector<std::string_view> policy_names();

// The checked configuration in `path`. A file that can't be read is a diagnostic too.
std::expected<config::Config, std::vector<config::Diagnostic>> load_config(const std::string& path);

// The same, or nothing after printing every problem.
std::optional<config::Config> read_config(const std::string& path);

}  // namespace evener::cli
