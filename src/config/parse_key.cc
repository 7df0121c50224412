#include "config/parse_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace evener::config {
namespace {

using namespace std::string_view_literals;
using Kind = KeySource::Kind;

constexpr std::array kPlain = {"client_ip"sv, "path"sv, "host"sv};
constexpr std::array kPlainKinds = {Kind::kClientIp, Kind::kPath, Kind::kHost};
constexpr std::array kNamed = {"header"sv, "cookie"sv, "query"sv};
constexpr std::array kNamedKinds = {Kind::kHeader, Kind::kCookie, Kind::kQuery};
constexpr std::string_view kForms =
    "`client_ip`, `path`, `host`, `{ header: NAME }`, `{ cookie: NAME }` or `{ query: NAME }`";

// What RFC 9110 allows in a field's name, and RFC 6265 in a cookie's; a query's are held to it too.
Value<std::string> parse_key_name(const std::string& text) {
  const bool good = !text.empty() && text.size() <= 128 && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           "!#$%&'*+-.^_`|~"sv.contains(c);
  });
  if (good) return text;
  return std::unexpected(
      fmt::format("expected a name of letters, digits and marks such as `-` and `_`, found `{}`",
                  text.substr(0, 60)));
}

}  // namespace

void read_key(Reader& reader, const Node& node, KeySource& key) {
  key.mark = node.mark;
  if (node.kind == Node::Kind::kScalar) {
    const std::size_t index = reader.choice(node, "`key`", kPlain, kPlain.size());
    // After an error the pool counts as having a key, so that one slip is told once.
    key.kind = index < kPlain.size() ? kPlainKinds[index] : Kind::kClientIp;
    return;
  }
  key.kind = Kind::kClientIp;
  const Reader::Entries entries = reader.map(node, "`key`", {kNamed});
  if (node.kind != Node::Kind::kMap) return;
  if (node.pairs.size() != 1) {
    reader.error(node.mark,
                 fmt::format("`key`: expected {}, found {}", kForms,
                             node.pairs.empty() ? "an empty map" : "a map of more than one"));
    return;
  }
  for (const auto& [what, name] : entries) {
    const auto found = std::ranges::find(kNamed, what->text);
    key.kind = kNamedKinds[static_cast<std::size_t>(found - kNamed.begin())];
    reader.value(*name, fmt::format("`{}`", what->text), parse_key_name, key.name);
  }
}

void check_key(Reader& reader, const Pool& pool) {
  const PolicyConfig& policy = pool.policy;
  const auto info = std::ranges::find(policy_catalog(), policy.name, &PolicyInfo::name);
  if (info == policy_catalog().end()) return;  // an error that has been said
  const bool given = pool.key.kind != Kind::kNone;
  if (info->uses_key && !given) {
    reader.error(policy.mark,
                 fmt::format("policy `{}` needs a key: add `key:` to the pool, one of {}",
                             policy.name, kForms));
  }
  if (!info->uses_key && given) {
    std::vector<std::string_view> keyed;
    for (const PolicyInfo& other : policy_catalog()) {
      if (other.uses_key) keyed.push_back(other.name);
    }
    reader.error(pool.key.mark,
                 fmt::format("`key`: policy `{}` uses none: remove it, or set `policy` to {}",
                             policy.name, words_text(keyed)));
  }
  if (policy.name == "maglev" && pool.endpoints.size() > policy.table_size) {
    reader.error(policy.mark, fmt::format("`table_size`: expected an entry for each of the pool's "
                                          "{} endpoints, better 100, found {}",
                                          pool.endpoints.size(), policy.table_size));
  }
}

}  // namespace evener::config
