// What commands write: to standard output and to files, and said so when it does not arrive.
//
// Thread: main's. A result is only good if it arrived: a full disk must not look like success.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace evener::cli {

// Whether standard output is a terminal whose user wants colours.
bool colours();
// False, and said on standard error, when it cannot be written.
bool print(const std::string& text);
// To `path`, or to standard output for "-".
bool write_file(const std::string& path, const std::string& text);
// The file's text, or why it cannot be read.
std::expected<std::string, std::string> read_file(const std::string& path);

}  // namespace evener::cli
