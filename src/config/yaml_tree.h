// A YAML document as a plain tree with a place for every key and value. Internal to config/.
//
// The one home of yaml-cpp, whose exceptions end here. Aliases are pointers to the node they name,
// so a file of nested aliases costs no memory; who walks the tree counts what is visited. Depth,
// size and nodes are bounded (parse.h).
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/diagnostics.h"

namespace evener::config {

struct Node {
  enum class Kind : std::uint8_t { kNull, kScalar, kSequence, kMap };
  Kind kind = Kind::kNull;
  bool quoted = false;
  SourceMark mark;
  std::string text;                                        // kScalar
  std::vector<const Node*> items;                          // kSequence
  std::vector<std::pair<const Node*, const Node*>> pairs;  // kMap: key and value, as in the file
};

std::string_view kind_name(Node::Kind kind);  // "a map", "a list", ...

class YamlTree {
 public:
  // Nothing (and an error said) when the text is no single YAML document in UTF-8.
  const Node* load(std::string_view text, Diagnostics& diagnostics);

 private:
  class Builder;
  std::deque<Node> nodes_;
};

}  // namespace evener::config
