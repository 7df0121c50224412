#include "config/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace evener::config {
namespace {

constexpr std::size_t kExcerptOctets = 160;

// A terminal must not be driven by a file's contents.
char printable(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c; }

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

void Diagnostics::error(SourceMark mark, std::string message) {
  if (full()) return;
  const auto place = [](const Diagnostic& d) { return std::pair(d.line, d.column); };
  const auto at = std::ranges::upper_bound(list_, std::pair(mark.line, mark.column), {}, place);
  list_.insert(at, {.file = std::string(file_),
                    .line = mark.line,
                    .column = mark.column,
                    .message = std::move(message),
                    .excerpt = excerpt(mark.line)});
}

std::string Diagnostics::excerpt(int line) const {
  if (line <= 0) return {};
  std::size_t begin = 0;
  for (int i = 1; i < line; ++i) {
    begin = text_.find('\n', begin);
    if (begin == std::string_view::npos) return {};
    ++begin;
  }
  std::string out(text_.substr(begin, text_.find('\n', begin) - begin).substr(0, kExcerptOctets));
  std::ranges::transform(out, out.begin(), printable);
  return out;
}

std::string to_string(const Diagnostic& diagnostic) {
  if (diagnostic.line == 0)
    return fmt::format("{}: error: {}", diagnostic.file, diagnostic.message);
  std::string out = fmt::format("{}:{}:{}: error: {}", diagnostic.file, diagnostic.line,
                                diagnostic.column, diagnostic.message);
  if (diagnostic.excerpt.empty()) return out;
  const auto place = static_cast<std::size_t>(std::max(diagnostic.column - 1, 0));
  if (place > diagnostic.excerpt.size()) return out + "\n  " + diagnostic.excerpt;
  // The caret stands under a character; the column counts octets.
  const auto before = std::ranges::count_if(std::string_view(diagnostic.excerpt).substr(0, place),
                                            [](char c) { return !is_continuation(c); });
  return fmt::format("{}\n  {}\n  {}^", out, diagnostic.excerpt,
                     std::string(static_cast<std::size_t>(before), ' '));
}

}  // namespace evener::config
