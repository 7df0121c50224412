// CheckNote: what a failed EV_CHECK says as well, while the note lives: how to come to it again.
//
// Belongs to the thread that makes it, which destroys notes in the reverse order; only the newest
// is told. For runs that a seed repeats. The text is not copied. Cost: two stores.
#pragma once

#include <string_view>

namespace evener {

class CheckNote {
 public:
  // REQUIRES: `text` outlives the note.
  explicit CheckNote(std::string_view text) noexcept;
  ~CheckNote();
  CheckNote(const CheckNote&) = delete;
  CheckNote& operator=(const CheckNote&) = delete;

  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
  const CheckNote* outer_;
};

}  // namespace evener
