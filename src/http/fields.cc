#include "http/fields.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "http/scan.h"

namespace evener::http {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

using Name = std::pair<std::string_view, FieldId>;
constexpr std::array kNames = {
    Name{"te", FieldId::kTe},
    Name{"via", FieldId::kVia},
    Name{"host", FieldId::kHost},
    Name{"date", FieldId::kDate},
    Name{"server", FieldId::kServer},
    Name{"expect", FieldId::kExpect},
    Name{"trailer", FieldId::kTrailer},
    Name{"upgrade", FieldId::kUpgrade},
    Name{"connection", FieldId::kConnection},
    Name{"keep-alive", FieldId::kKeepAlive},
    Name{"retry-after", FieldId::kRetryAfter},
    Name{"content-length", FieldId::kContentLength},
    Name{"http2-settings", FieldId::kHttp2Settings},
    Name{"x-forwarded-for", FieldId::kXForwardedFor},
    Name{"x-forwarded-host", FieldId::kXForwardedHost},
    Name{"proxy-connection", FieldId::kProxyConnection},
    Name{"x-forwarded-proto", FieldId::kXForwardedProto},
    Name{"transfer-encoding", FieldId::kTransferEncoding},
    Name{"proxy-authenticate", FieldId::kProxyAuthenticate},
    Name{"proxy-authorization", FieldId::kProxyAuthorization},
};
constexpr std::size_t kLongestName =
    std::ranges::max(kNames, {}, [](const Name& n) { return n.first.size(); }).first.size();

// A name's length and last octet tell apart all we know: at most one candidate to compare with.
constexpr std::size_t kSlots = 64;
constexpr std::size_t slot_of(std::string_view name) {
  return (3 * name.size() + static_cast<std::size_t>(name.back() | 0x20)) % kSlots;
}

// For each slot the index of its name in kNames, or kNames.size().
constexpr std::array<std::uint8_t, kSlots> make_slots() {
  std::array<std::uint8_t, kSlots> slots{};
  slots.fill(kNames.size());
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    slots[slot_of(kNames[i].first)] = static_cast<std::uint8_t>(i);
  }
  return slots;
}
constexpr auto kSlotNames = make_slots();

constexpr bool every_name_has_its_slot() {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kSlotNames[slot_of(kNames[i].first)] != i) return false;
  }
  return true;
}
static_assert(every_name_has_its_slot(), "two names share a slot: change slot_of");

template <typename Word>
bool folded_word_is(const char* token, const char* lower_case) {
  Word a;
  Word b;
  std::memcpy(&a, token, sizeof a);
  std::memcpy(&b, lower_case, sizeof b);
  return static_cast<Word>(a | static_cast<Word>(0x2020202020202020U)) == b;
}

// Both of `size`. Setting 0x20 makes nothing that may stand in a value alike to a letter, digit or
// '-' but the other case of that letter.
bool folded_is(const char* token, const char* lower_case, std::size_t size) {
  if (size < 4) {
    return folded_word_is<std::uint16_t>(token, lower_case) &&
           folded_word_is<std::uint8_t>(token + size - 1, lower_case + size - 1);
  }
  if (size < 8) {
    return folded_word_is<std::uint32_t>(token, lower_case) &&
           folded_word_is<std::uint32_t>(token + size - 4, lower_case + size - 4);
  }
  for (std::size_t i = 0; i + 8 < size; i += 8) {
    if (!folded_word_is<std::uint64_t>(token + i, lower_case + i)) return false;
  }
  return folded_word_is<std::uint64_t>(token + size - 8, lower_case + size - 8);
}

}  // namespace

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

bool is_word(std::string_view text, std::string_view lower_case) {
  return text.size() == lower_case.size() &&
         folded_is(text.data(), lower_case.data(), lower_case.size());
}

FieldId field_id(std::string_view name) {
  if (name.empty()) return FieldId::kOther;
  const std::size_t index = kSlotNames[slot_of(name)];
  if (index == kNames.size()) return FieldId::kOther;
  const auto& [known, id] = kNames[index];
  return is_word(name, known) ? id : FieldId::kOther;
}

FieldId aliased_field_id(std::string_view name) {
  if (name.size() > kLongestName) return FieldId::kOther;
  const auto is_mark = [](char c) { return !is_of(c, kPlainChar); };
  if (std::ranges::none_of(name, is_mark)) return FieldId::kOther;
  std::array<char, kLongestName> plain{};
  std::ranges::transform(name, plain.begin(), [is_mark](char c) { return is_mark(c) ? '-' : c; });
  return field_id({plain.data(), name.size()});
}

bool is_token_char(char c) { return is_of(c, kTokenChar); }

bool is_token(std::string_view text) {
  const char* const end = text.data() + text.size();
  return !text.empty() && skip_class(text.data(), end, kTokenChar) == end;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool next_list_item(std::string_view& list, std::string_view& item) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    item = trim(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    if (!item.empty()) return true;
  }
  return false;
}

bool list_has_token(std::string_view list, std::string_view token) {
  std::string_view item;
  while (next_list_item(list, item)) {
    if (equals_ignoring_case(item, token)) return true;
  }
  return false;
}

bool connection_has(const Head& head, std::string_view option) {
  return std::ranges::any_of(head.fields, [option](const Field& field) {
    return field.id == FieldId::kConnection && list_has_token(field.value, option);
  });
}

Method method_from(std::string_view text) {
  constexpr std::array kMethods = {
      std::pair{std::string_view("GET"), Method::kGet},
      std::pair{std::string_view("HEAD"), Method::kHead},
      std::pair{std::string_view("POST"), Method::kPost},
      std::pair{std::string_view("PUT"), Method::kPut},
      std::pair{std::string_view("DELETE"), Method::kDelete},
      std::pair{std::string_view("OPTIONS"), Method::kOptions},
      std::pair{std::string_view("TRACE"), Method::kTrace},
      std::pair{std::string_view("PATCH"), Method::kPatch},
      std::pair{std::string_view("CONNECT"), Method::kConnect},
  };
  for (const auto& [name, method] : kMethods) {
    if (name == text) return method;
  }
  return Method::kOther;
}

std::string_view first_value(const Head& head, FieldId id) {
  for (const Field& field : head.fields) {
    if (field.id == id) return field.value;
  }
  return {};
}

}  // namespace evener::http
