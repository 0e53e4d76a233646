// Builds a Node tree from yaml-cpp's events: unlike its own tree they show duplicate keys, anchors and tags.
#include <opyard/error.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "manifest/node.h"
#include "manifest/scalar.h"

namespace opyard {
namespace {

constexpr std::size_t kMaxDepth = 64;

[[noreturn]] void fail(const std::string& file, Mark mark, const std::string& what, const std::string& advice) {
  const std::string place = file + ":" + std::to_string(mark.line) + ":" + std::to_string(mark.column);
  throw ManifestError(place + ": " + what, {.declared_at = place, .advice = advice});
}

Mark mark_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& file) : file_(file) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(mark); }
  void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse_anchor(mark); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add(Node{.mark = mark_of(mark)}); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    Node node{.mark = mark_of(mark)};
    if (tag == "!") {  // quoted or folded
      node.kind = Node::Kind::kString;
      node.text = value;
    } else {
      refuse_tag(mark, tag);
      if (const char* reason = resolve_plain_scalar(value, node)) {
        fail(file_, node.mark, "'" + value + "' is " + reason, "");
      }
    }
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, Node::Kind::kList);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(mark, tag, Node::Kind::kMap);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  Node take() { return std::move(root_); }

 private:
  void refuse_anchor(const YAML::Mark& mark) const {
    fail(file_, mark_of(mark), "an anchor or alias", "write the value out");
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?") {
      fail(file_, mark_of(mark), "the tag " + tag, "remove it");
    }
  }

  void open(const YAML::Mark& mark, const std::string& tag, Node::Kind kind) {
    refuse_tag(mark, tag);
    if (open_.size() >= kMaxDepth) {
      fail(file_, mark_of(mark), "nested too deeply", "");
    }
    open_.push_back(Node{.kind = kind, .mark = mark_of(mark)});
  }

  void close() {
    Node node = std::move(open_.back());
    open_.pop_back();
    add(std::move(node));
  }

  void add(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Node& parent = open_.back();
    if (parent.is_map() && parent.keys.size() == parent.items.size()) {
      add_key(parent, node);
    } else {
      parent.items.push_back(std::move(node));
    }
  }

  void add_key(Node& parent, const Node& key) const {
    if (!key.is_string()) {
      fail(file_, key.mark, "the key " + to_text(key) + " is no string", "quote it");
    }
    if (parent.find(key.text) != nullptr) {
      fail(file_, key.mark, "the key '" + key.text + "' appears twice in one mapping", "remove one of them");
    }
    parent.keys.push_back(key.text);
    parent.key_marks.push_back(key.mark);
  }

  const std::string& file_;
  std::vector<Node> open_;
  Node root_;
};

/// The length of the UTF-8 sequence at `i`, 0 when it is malformed, overlong, a surrogate or beyond U+10FFFF.
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const unsigned first = byte(i);
  if (first < 0x80) {
    return 1;
  }
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) {
    return 0;
  }
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) {
      return 0;
    }
  }
  const unsigned second = byte(i + 1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool out_of_range = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return overlong || out_of_range ? 0 : length;
}

void check_utf8(std::string_view text, const std::string& file) {
  Mark mark{1, 1};
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) {
      fail(file, mark, "the text is not UTF-8", "save the file as UTF-8");
    }
    mark = text[i] == '\n' ? Mark{mark.line + 1, 1} : Mark{mark.line, mark.column + 1};
    i += length;
  }
}

}  // namespace

Node parse_yaml(std::string_view text, const std::string& file) {
  check_utf8(text, file);
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(file);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      fail(file, {1, 1}, "the file is empty", "");
    }
    TreeBuilder second(file);
    if (parser.HandleNextDocument(second)) {
      fail(file, {1, 1}, "the file holds several documents", "split it");
    }
  } catch (const YAML::Exception& error) {
    fail(file, mark_of(error.mark), error.msg, "");
  }
  return builder.take();
}

}  // namespace opyard
