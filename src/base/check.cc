#include "base/check.h"

#include <cstdio>
#include <cstdlib>

#include "base/check_note.h"

namespace evener {
namespace {

thread_local const CheckNote* newest_note = nullptr;

}  // namespace

CheckNote::CheckNote(std::string_view text) noexcept : text_(text), outer_(newest_note) {
  newest_note = this;
}

CheckNote::~CheckNote() { newest_note = outer_; }

void check_failed(const char* file, int line, const char* condition,
                  std::string_view message) noexcept {
  std::fprintf(stderr, "evener: internal error at %s:%d: %s: %.*s\n", file, line, condition,
               static_cast<int>(message.size()), message.data());
  if (newest_note != nullptr) {
    const std::string_view note = newest_note->text();
    std::fprintf(stderr, "evener: %.*s\n", static_cast<int>(note.size()), note.data());
  }
  std::abort();
}

}  // namespace evener
