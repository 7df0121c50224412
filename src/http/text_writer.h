// Appends to a string through raw room that is made once: a bound first, then plain copies.
//
// Internal to http/. The bound is the caller's promise and is checked at the end. No allocation
// when the string has kept its room from before.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/check.h"

namespace evener::http {

class TextWriter {
 public:
  explicit TextWriter(char* room) : at_(room) {}

  template <std::size_t kSize>
  void put(const char (&literal)[kSize]) {
    std::memcpy(at_, literal, kSize - 1);
    at_ += kSize - 1;
  }
  void put(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  // At most kDigitsMax octets.
  void put_number(std::uint64_t value, int base = 10) {
    at_ = std::to_chars(at_, at_ + kDigitsMax, value, base).ptr;
  }
  char* at() const { return at_; }

  static constexpr std::size_t kDigitsMax = 20;

 private:
  char* at_;
};

// Calls write(TextWriter&), which adds at most `bound` octets behind what `out` holds.
template <typename Write>
void append_bounded(std::string& out, std::size_t bound, Write write) {
  const std::size_t before = out.size();
  out.resize_and_overwrite(before + bound, [&](char* data, std::size_t) {
    TextWriter writer(data + before);
    write(writer);
    const auto size = static_cast<std::size_t>(writer.at() - data);
    EV_CHECK(size <= before + bound, "more was written than the bound allows");
    return size;
  });
}

}  // namespace evener::http
