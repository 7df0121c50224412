#include "http/fields.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace evener::http {
namespace {

constexpr std::array<bool, 256> make_token_table() {
  std::array<bool, 256> table{};
  for (char c = '0'; c <= '9'; ++c) table[static_cast<unsigned char>(c)] = true;
  for (char c = 'a'; c <= 'z'; ++c) table[static_cast<unsigned char>(c)] = true;
  for (char c = 'A'; c <= 'Z'; ++c) table[static_cast<unsigned char>(c)] = true;
  for (const char c : std::string_view("!#$%&'*+-.^_`|~")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}
constexpr std::array<bool, 256> kTokenChars = make_token_table();

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

constexpr bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z');
}

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
static_assert(std::ranges::is_sorted(kNames, {}, [](const Name& n) { return n.first.size(); }));

constexpr std::size_t kLongestName = kNames.back().first.size();

// kFirst[n]: the first entry of kNames that has at least n octets.
constexpr std::array<std::uint8_t, kLongestName + 2> make_first() {
  std::array<std::uint8_t, kLongestName + 2> first{};
  for (std::size_t n = 0; n < first.size(); ++n) {
    std::size_t i = 0;
    while (i < kNames.size() && kNames[i].first.size() < n) ++i;
    first[n] = static_cast<std::uint8_t>(i);
  }
  return first;
}
constexpr auto kFirst = make_first();

}  // namespace

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

FieldId field_id(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return FieldId::kOther;
  for (std::size_t i = kFirst[name.size()]; i < kFirst[name.size() + 1]; ++i) {
    if (equals_ignoring_case(kNames[i].first, name)) return kNames[i].second;
  }
  return FieldId::kOther;
}

FieldId aliased_field_id(std::string_view name) {
  if (name.size() > kLongestName) return FieldId::kOther;
  const auto is_mark = [](char c) { return !is_alphanumeric(c) && c != '-'; };
  if (std::ranges::none_of(name, is_mark)) return FieldId::kOther;
  std::array<char, kLongestName> plain{};
  std::ranges::transform(name, plain.begin(), [is_mark](char c) { return is_mark(c) ? '-' : c; });
  return field_id({plain.data(), name.size()});
}

bool is_token_char(char c) { return kTokenChars[static_cast<unsigned char>(c)]; }

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_char);
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
