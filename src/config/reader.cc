#include "config/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace evener::config {
namespace {

bool holds(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

std::string words_text(std::span<const std::string_view> words, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? fmt::format(" {} ", last) : ", ";
    out += fmt::format("`{}`", words[i]);
  }
  return out;
}

bool Reader::visit(const Node& node, std::size_t children) {
  const bool before = visited_ <= kMaxNodes;
  visited_ += children + 1;
  const bool now = visited_ <= kMaxNodes;
  if (before && !now) {
    error(node.mark, fmt::format("expected at most {} values, counting what aliases stand for, "
                                 "found more",
                                 kMaxNodes));
  }
  return now;
}

Reader::Entries Reader::named_map(const Node& node, std::string_view what) {
  if (node.kind != Node::Kind::kMap) {
    error(node.mark,
          fmt::format("{}: expected a map of `key: value`, found {}", what, kind_name(node.kind)));
    return {};
  }
  Entries entries;
  if (!visit(node, node.pairs.size())) return entries;
  std::map<std::string_view, int> lines;
  for (const auto& [key, value] : node.pairs) {
    if (key->kind != Node::Kind::kScalar) {
      error(key->mark,
            fmt::format("{}: expected a word as key, found {}", what, kind_name(key->kind)));
      continue;
    }
    const auto [place, fresh] = lines.emplace(key->text, key->mark.line);
    if (!fresh) {
      error(key->mark, fmt::format("{}: key `{}` was given before, on line {}: keep one", what,
                                   key->text.substr(0, 60), place->second));
      continue;
    }
    entries.emplace_back(key, value);
  }
  return entries;
}

Reader::Entries Reader::map(const Node& node, std::string_view what, const KeySet& keys) {
  Entries entries = named_map(node, what);
  std::erase_if(entries, [&](const auto& entry) {
    if (holds(keys.known, entry.first->text)) return false;
    unknown_key(*entry.first, what, keys);
    return true;
  });
  return entries;
}

void Reader::unknown_key(const Node& key, std::string_view what, const KeySet& keys) {
  if (holds(keys.later, key.text)) {
    error(key.mark,
          fmt::format("{}: `{}` is not supported yet by this version: remove it", what, key.text));
    return;
  }
  const std::string_view near = nearest(key.text, keys.known);
  error(key.mark, fmt::format("{}: unknown key `{}`{}: expected {}", what, key.text.substr(0, 60),
                              near.empty() ? "" : fmt::format(", did you mean `{}`?", near),
                              words_text(keys.known)));
}

std::vector<const Node*> Reader::list(const Node& node, std::string_view what) {
  if (node.kind != Node::Kind::kSequence) {
    error(node.mark, fmt::format("{}: expected a list ([a, b], or lines that begin with `- `), "
                                 "found {}",
                                 what, kind_name(node.kind)));
    return {};
  }
  if (!visit(node, node.items.size())) return {};
  return node.items;
}

const std::string* Reader::scalar(const Node& node, std::string_view what) {
  if (node.kind == Node::Kind::kScalar) return &node.text;
  // A frequent slip: [::1]:80 without quotes is a list to YAML.
  const bool list = node.kind == Node::Kind::kSequence;
  error(node.mark,
        fmt::format("{}: expected a single value, found {}{}", what, kind_name(node.kind),
                    list ? " (an IPv6 address needs quotes: \"[::1]:80\")" : ""));
  return nullptr;
}

void Reader::said(const Node& node, std::string_view what, std::string_view error_text) {
  error(node.mark, fmt::format("{}: {}", what, error_text));
}

void Reader::duration(const Node& node, std::string_view what, Duration least, Duration most,
                      Duration& out) {
  Duration read;
  if (!value(node, what, parse_duration, read)) return;
  if (read < least || read > most) {
    said(node, what,
         fmt::format("expected {} to {}, found `{}`", duration_text(least), duration_text(most),
                     node.text));
    return;
  }
  out = read;
}

void Reader::size(const Node& node, std::string_view what, std::uint64_t least, std::uint64_t most,
                  std::uint64_t& out) {
  std::uint64_t read = 0;
  if (!value(node, what, parse_size, read)) return;
  if (read < least || read > most) {
    said(
        node, what,
        fmt::format("expected {} to {}, found `{}`", size_text(least), size_text(most), node.text));
    return;
  }
  out = read;
}

void Reader::count(const Node& node, std::string_view what, std::uint64_t least, std::uint64_t most,
                   std::uint64_t& out) {
  std::uint64_t read = 0;
  if (!value(node, what, parse_count, read)) return;
  if (read < least || read > most) {
    said(node, what, fmt::format("expected {} to {}, found `{}`", least, most, node.text));
    return;
  }
  out = read;
}

std::size_t Reader::choice(const Node& node, std::string_view what,
                           std::span<const std::string_view> words, std::size_t otherwise) {
  const std::string* text = scalar(node, what);
  if (text == nullptr) return otherwise;
  const auto found = std::ranges::find(words, *text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::string_view near = nearest(*text, words);
  said(node, what,
       fmt::format("expected {}, found `{}`{}", words_text(words), text->substr(0, 60),
                   near.empty() ? "" : fmt::format(", did you mean `{}`?", near)));
  return otherwise;
}

}  // namespace evener::config
