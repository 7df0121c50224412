// Where the reading of one file collects what is wrong with it. Internal to config/.
//
// Owner: one parse(). Keeps the text only as a view. At most kMaxDiagnostics are kept.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "config/parse.h"

namespace evener::config {

class Diagnostics {
 public:
  Diagnostics(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  void error(SourceMark mark, std::string message);
  bool any() const { return !list_.empty(); }
  bool full() const { return list_.size() >= kMaxDiagnostics; }
  // All, in the file's order.
  std::vector<Diagnostic> take() { return std::exchange(list_, {}); }

 private:
  std::string excerpt(int line) const;

  std::string_view text_;
  std::string_view file_;
  std::vector<Diagnostic> list_;
};

}  // namespace evener::config
