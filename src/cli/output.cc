#include "cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace evener::cli {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

}  // namespace

bool colours() { return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }

bool print(const std::string& text) {
  const bool good = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  if (!good) fmt::print(stderr, "evener: cannot write to standard output\n");
  return good;
}

bool write_file(const std::string& path, const std::string& text) {
  if (path == "-") return print(text);
  const File file(std::fopen(path.c_str(), "w"));
  if (file && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
      std::fflush(file.get()) == 0) {
    return true;
  }
  fmt::print(stderr, "evener: cannot write {}: {}\n", path, std::strerror(errno));
  return false;
}

std::expected<std::string, std::string> read_file(const std::string& path) {
  const File file(std::fopen(path.c_str(), "r"));
  if (!file) return std::unexpected(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  std::string out;
  char piece[65'536];
  for (std::size_t got = 0; (got = std::fread(piece, 1, sizeof(piece), file.get())) > 0;) {
    out.append(piece, got);
  }
  if (std::ferror(file.get()) != 0) {
    return std::unexpected(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
  return out;
}

}  // namespace evener::cli
