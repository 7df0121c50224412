// YAML text to Config: reads, checks, completes, and says everything that is wrong at once.
//
// Pure: text in, value out; the file name is only for messages. Control plane: allocates freely,
// takes milliseconds, any thread. Input is bounded (size, nesting, nodes after aliases), so a
// hostile file costs no more than a long one. Messages say what was found, what was expected,
// where, and what to do.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace evener::config {

struct Diagnostic {
  std::string file;
  int line = 0;    // from 1; 0 when the file as a whole is meant
  int column = 0;  // from 1
  std::string message;
  std::string excerpt;  // the source line; may be empty
};

// "FILE:LINE:COL: error: MESSAGE", then the line with a caret under the place.
std::string to_string(const Diagnostic& diagnostic);

inline constexpr std::size_t kMaxFileBytes = 4 * 1024 * 1024;
inline constexpr std::size_t kMaxDepth = 32;
inline constexpr std::size_t kMaxNodes = 200'000;  // visited, an alias counting as what it names
inline constexpr std::size_t kMaxDiagnostics = 100;

// All errors in the file's order, at most kMaxDiagnostics.
std::expected<Config, std::vector<Diagnostic>> parse(std::string_view yaml,
                                                     std::string_view file_name);

}  // namespace evener::config
