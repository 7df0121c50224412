// Typed reading of tree nodes: each call checks one node's kind and range, or says what is wrong.
//
// Internal to config/. Owner: one parse(); counts the nodes it hands out, so that aliases cannot
// make a small file long. `what` names the setting in messages: "`timeouts.connect`" or "a pool".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/diagnostics.h"
#include "config/values.h"
#include "config/yaml_tree.h"

namespace evener::config {

struct KeySet {
  std::span<const std::string_view> known;
  std::span<const std::string_view> later = {};  // of versions to come: an error of its own
};

class Reader {
 public:
  explicit Reader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void error(SourceMark mark, std::string message) { diagnostics_.error(mark, std::move(message)); }
  bool any_errors() const { return diagnostics_.any(); }

  // The entries whose keys are known, once each. Empty when `node` is no map.
  using Entries = std::vector<std::pair<const Node*, const Node*>>;
  Entries map(const Node& node, std::string_view what, const KeySet& keys);
  // A map whose keys are names that the user chooses.
  Entries named_map(const Node& node, std::string_view what);
  std::vector<const Node*> list(const Node& node, std::string_view what);

  // True, and `out` set, when the node is a single value that `parse` accepts.
  template <typename T, typename Parse>
  bool value(const Node& node, std::string_view what, Parse parse, T& out) {
    const std::string* text = scalar(node, what);
    if (text == nullptr) return false;
    auto result = parse(*text);
    if (!result) {
      said(node, what, result.error());
      return false;
    }
    out = std::move(*result);
    return true;
  }

  void duration(const Node& node, std::string_view what, Duration least, Duration most,
                Duration& out);
  void size(const Node& node, std::string_view what, std::uint64_t least, std::uint64_t most,
            std::uint64_t& out);
  void count(const Node& node, std::string_view what, std::uint64_t least, std::uint64_t most,
             std::uint64_t& out);
  template <typename T>
  void size(const Node& node, std::string_view what, std::uint64_t least, std::uint64_t most,
            T& out) {
    std::uint64_t wide = out;
    size(node, what, least, most, wide);
    out = static_cast<T>(wide);
  }
  template <typename T>
  void count(const Node& node, std::string_view what, std::uint64_t least, std::uint64_t most,
             T& out) {
    std::uint64_t wide = out;
    count(node, what, least, most, wide);
    out = static_cast<T>(wide);
  }
  // The index in `words` of the node's value, or `otherwise`.
  std::size_t choice(const Node& node, std::string_view what,
                     std::span<const std::string_view> words, std::size_t otherwise);

 private:
  const std::string* scalar(const Node& node, std::string_view what);
  void said(const Node& node, std::string_view what, std::string_view error);
  bool visit(const Node& node, std::size_t children);
  void unknown_key(const Node& key, std::string_view what, const KeySet& keys);

  Diagnostics& diagnostics_;
  std::size_t visited_ = 0;
};

// "`a`, `b` or `c`"
std::string words_text(std::span<const std::string_view> words, std::string_view last = "or");

}  // namespace evener::config
