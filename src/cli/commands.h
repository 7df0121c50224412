// The commands of `evener`, one function each: words in, exit code out. Thread: main's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace evener::cli {

struct RunOptions {
  std::string config;
  std::optional<std::string> engine;  // overrides the file: auto, epoll or uring
  std::optional<std::uint32_t> workers;
  std::optional<std::uint64_t> seed;
};
int run(const RunOptions& options);

struct CheckOptions {
  std::string config;
  bool json = false;
};
int check(const CheckOptions& options);

struct DemoOptions {
  double seconds = 0;  // 0: until Ctrl-C
  double load = 400;   // requests per second
  std::uint16_t port = 0;
  std::string policy = "peak_ewma";
  std::string engine = "auto";
  std::uint32_t workers = 0;
  std::optional<std::uint64_t> seed;
  bool json = false;
};
int demo(const DemoOptions& options);

}  // namespace evener::cli
