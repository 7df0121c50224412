#include "config/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <span>
#include <spanstream>

namespace evener::config {
namespace {

SourceMark mark_of(const YAML::Mark& mark) {
  return {.line = mark.line + 1, .column = mark.column + 1};
}

// Octets of the UTF-8 character that starts here; 0 when there is none (RFC 3629).
std::size_t utf8_size(std::string_view text) {
  const auto at = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = at(0);
  if (first < 0x80) return 1;
  const std::size_t size = first < 0xc2   ? 0
                           : first < 0xe0 ? 2
                           : first < 0xf0 ? 3
                           : first < 0xf5 ? 4
                                          : 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((at(i) & 0xc0U) != 0x80U) return 0;
  }
  if (first == 0xe0 && at(1) < 0xa0) return 0;
  if (first == 0xed && at(1) > 0x9f) return 0;
  if (first == 0xf0 && at(1) < 0x90) return 0;
  if (first == 0xf4 && at(1) > 0x8f) return 0;
  return size;
}

bool is_control(char c) {
  const auto u = static_cast<unsigned char>(c);
  return (u < 0x20 && c != '\t' && c != '\n' && c != '\r') || u == 0x7f;
}

// What yaml-cpp would pass over or report far from the place.
bool check_text(std::string_view text, Diagnostics& diagnostics) {
  SourceMark mark{.line = 1, .column = 1};
  bool indentation = true;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t size = utf8_size(text.substr(i));
    if (size == 0) {
      diagnostics.error(mark, "expected UTF-8, found other octets: save the file as UTF-8");
      return false;
    }
    if (is_control(c)) {
      diagnostics.error(mark,
                        fmt::format("expected text, found control character 0x{:02x}: remove it",
                                    static_cast<unsigned char>(c)));
      return false;
    }
    if (indentation && c == '\t') {
      const std::size_t next = text.find_first_not_of(" \t", i);
      if (next != std::string_view::npos && !std::string_view("#\r\n").contains(text[next])) {
        diagnostics.error(mark, "a tab cannot indent in YAML: use spaces");
        return false;
      }
    }
    indentation = c == '\n' || (indentation && (c == ' ' || c == '\t'));
    mark = c == '\n'
               ? SourceMark{.line = mark.line + 1, .column = 1}
               : SourceMark{.line = mark.line, .column = mark.column + static_cast<int>(size)};
    i += size;
  }
  return true;
}

}  // namespace

std::string_view kind_name(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::kNull:
      return "nothing";
    case Node::Kind::kScalar:
      return "a single value";
    case Node::Kind::kSequence:
      return "a list";
    case Node::Kind::kMap:
      return "a map";
  }
  return "nothing";
}

// Events become nodes. After the first error further events are ignored: nothing is thrown through
// yaml-cpp.
class YamlTree::Builder : public YAML::EventHandler {
 public:
  Builder(std::deque<Node>& nodes, Diagnostics& diagnostics)
      : nodes_(nodes), diagnostics_(diagnostics) {}

  const Node* root() const { return failed_ ? nullptr : root_; }
  bool failed() const { return failed_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(Node::Kind::kNull, mark, "?", anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (failed_) return;
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end() || std::ranges::find(open_, found->second) != open_.end()) {
      fail(mark, "an alias cannot stand inside what it names");
      return;
    }
    attach(found->second);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node* node = add(Node::Kind::kScalar, mark, tag, anchor);
    if (node == nullptr) return;
    node->text = value;
    node->quoted = tag == "!";
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(add(Node::Kind::kSequence, mark, tag, anchor), mark);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(add(Node::Kind::kMap, mark, tag, anchor), mark);
  }
  void OnMapEnd() override { close(); }

 private:
  void fail(const YAML::Mark& mark, std::string message) {
    if (!failed_) diagnostics_.error(mark_of(mark), std::move(message));
    failed_ = true;
  }

  Node* add(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    if (failed_) return nullptr;
    if (!tag.empty() && tag != "?" && tag != "!") {
      fail(mark, "tags are not supported: remove `" + tag.substr(0, 40) + "`");
      return nullptr;
    }
    if (nodes_.size() >= kMaxNodes) {
      fail(mark, fmt::format("expected at most {} values in a file, found more", kMaxNodes));
      return nullptr;
    }
    Node& node = nodes_.emplace_back();
    node.kind = kind;
    node.mark = mark_of(mark);
    if (anchor != 0) anchors_[anchor] = &node;
    attach(&node);
    // yaml-cpp finds a missing value at the next token, often lines further on.
    if (kind == Node::Kind::kNull && !open_.empty() && !open_.back()->pairs.empty()) {
      node.mark = open_.back()->pairs.back().first->mark;
    }
    return &node;
  }

  void attach(const Node* node) {
    if (open_.empty()) {
      root_ = node;
      return;
    }
    Node& parent = *open_.back();
    if (parent.kind == Node::Kind::kSequence) {
      parent.items.push_back(node);
    } else if (parent.pairs.empty() || parent.pairs.back().second != nullptr) {
      parent.pairs.emplace_back(node, nullptr);
    } else {
      parent.pairs.back().second = node;
    }
  }

  void open(Node* node, const YAML::Mark& mark) {
    if (failed_) return;
    if (open_.size() >= kMaxDepth) {
      fail(mark, fmt::format("expected at most {} levels of nesting, found more", kMaxDepth));
      return;
    }
    open_.push_back(node);
  }

  void close() {
    if (!failed_) open_.pop_back();
  }

  std::deque<Node>& nodes_;
  Diagnostics& diagnostics_;
  std::map<YAML::anchor_t, const Node*> anchors_;
  std::vector<Node*> open_;
  const Node* root_ = nullptr;
  bool failed_ = false;
};

const Node* YamlTree::load(std::string_view text, Diagnostics& diagnostics) {
  if (text.size() > kMaxFileBytes) {
    diagnostics.error(
        {}, fmt::format("expected at most {} octets, found {}", kMaxFileBytes, text.size()));
    return nullptr;
  }
  if (!check_text(text, diagnostics)) return nullptr;
  Builder builder(nodes_, diagnostics);
  try {
    std::ispanstream stream(std::span(text.data(), text.size()));
    YAML::Parser parser(stream);
    const bool found = parser.HandleNextDocument(builder);
    if (builder.failed()) return nullptr;
    if (!found || builder.root() == nullptr || builder.root()->kind == Node::Kind::kNull) {
      diagnostics.error({},
                        "the file is empty: expected at least `listeners`, `routes` and `pools`");
      return nullptr;
    }
    const Node* root = builder.root();
    Builder rest(nodes_, diagnostics);
    if (parser.HandleNextDocument(rest)) {
      const SourceMark mark = rest.root() == nullptr ? SourceMark{} : rest.root()->mark;
      diagnostics.error(mark, "expected one YAML document, found another behind `---`: remove it");
      return nullptr;
    }
    return root;
  } catch (const YAML::DeepRecursion& exception) {
    diagnostics.error(mark_of(exception.mark),
                      fmt::format("expected at most {} levels of nesting, found more", kMaxDepth));
    return nullptr;
  } catch (const YAML::Exception& exception) {
    diagnostics.error(exception.mark.is_null() ? SourceMark{} : mark_of(exception.mark),
                      "this is not YAML: " + exception.msg);
    return nullptr;
  }
}

}  // namespace evener::config
