#include "cli/config_file.h"

#include <evener/policy.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "config/parse.h"
#include "io/socket.h"

namespace evener::cli {

std::vector<std::string_view> policy_names() {
  std::vector<std::string_view> names;
  for (const PolicyInfo& info : policy_catalog()) names.push_back(info.name);
  return names;
}

std::optional<config::Config> read_config(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()) || file.bad()) {
    fmt::print(stderr, "{}: error: can't read the configuration: {}\n", path,
               errno == 0 ? std::string("it is empty or not a file") : io::errno_text(errno));
    return std::nullopt;
  }
  auto parsed = config::parse(text.str(), path);
  if (parsed) {
    for (const config::Warning& warning : parsed->warnings) {
      fmt::print(stderr, "{}:{}:{}: warning: {}\n", path, warning.mark.line, warning.mark.column,
                 warning.message);
    }
    return std::move(*parsed);
  }
  for (const config::Diagnostic& diagnostic : parsed.error()) {
    fmt::print(stderr, "{}\n", config::to_string(diagnostic));
  }
  const std::size_t count = parsed.error().size();
  fmt::print(stderr, "{}: {} {} found; nothing was started\n", path, count,
             count == 1 ? "error" : "errors");
  return std::nullopt;
}

}  // namespace evener::cli
