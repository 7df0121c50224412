#include "cli/config_file.h"

#include <evener/policy.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>

#include "io/socket.h"

namespace evener::cli {

std::vector<std::string_view> policy_names() {
  std::vector<std::string_view> names;
  for (const PolicyInfo& info : policy_catalog()) names.push_back(info.name);
  return names;
}

std::expected<config::Config, std::vector<config::Diagnostic>> load_config(
    const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  // One byte over the limit is enough for the parser to refuse the file, however long it is.
  std::string text(config::kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (!file.is_open() || file.bad() || (text.empty() && errno != 0)) {
    config::Diagnostic problem;
    problem.file = path;
    problem.message = "can't read the configuration: " + io::errno_text(errno);
    return std::unexpected(std::vector{std::move(problem)});
  }
  return config::parse(text, path);
}

std::optional<config::Config> read_config(const std::string& path) {
  auto loaded = load_config(path);
  if (loaded) {
    for (const config::Warning& warning : loaded->warnings) {
      fmt::print(stderr, "{}:{}:{}: warning: {}\n", path, warning.mark.line, warning.mark.column,
                 warning.message);
    }
    return std::move(*loaded);
  }
  for (const config::Diagnostic& diagnostic : loaded.error()) {
    fmt::print(stderr, "{}\n", config::to_string(diagnostic));
  }
  const std::size_t count = loaded.error().size();
  fmt::print(stderr, "{}: {} {} found; nothing was started\n", path, count,
             count == 1 ? "error" : "errors");
  return std::nullopt;
}

}  // namespace evener::cli
