#include "balance/state/range_check.h"

#include <array>
#include <charconv>

namespace evener {
namespace {

std::string text(double value) {
  std::array<char, 32> out;
  const auto end = std::to_chars(out.data(), out.data() + out.size(), value).ptr;
  return {out.data(), end};
}

}  // namespace

void RangeCheck::fail(std::string_view name, const std::string& range, const std::string& found) {
  if (error_) return;
  error_ = Error{std::string(of_) + " setting \"" + std::string(name) + "\": expected " + range +
                 ", found " + found};
}

RangeCheck& RangeCheck::number(std::string_view name, double value, double least, double most) {
  if (!(value >= least && value <= most)) {
    fail(name, text(least) + " to " + text(most), text(value));
  }
  return *this;
}

RangeCheck& RangeCheck::duration(std::string_view name, Duration value, Duration least,
                                 Duration most) {
  if (value < least || value > most) {
    fail(name, text(least.to_seconds()) + " s to " + text(most.to_seconds()) + " s",
         text(value.to_seconds()) + " s");
  }
  return *this;
}

std::expected<void, Error> RangeCheck::result() const {
  if (error_) return std::unexpected(*error_);
  return {};
}

}  // namespace evener
