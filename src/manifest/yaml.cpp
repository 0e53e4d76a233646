// Builds a Node tree from yaml-cpp's events: unlike its own tree they show duplicate keys, anchors and tags.
#include <opyard/error.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "manifest/faults.h"
#include "manifest/node.h"
#include "manifest/scalar.h"

namespace opyard {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kLongestFile = std::size_t{4} << 20;
constexpr std::size_t kLongestScalar = std::size_t{1} << 14;
constexpr std::size_t kMostValues = 300'000;  // in a file
constexpr std::size_t kMostKeys = 2'000;      // in a mapping
constexpr std::size_t kShownText = 80;        // of an offending value

[[noreturn]] void fail(const std::string& file, Mark mark, const std::string& what, const std::string& advice) {
  const std::string place = file + ":" + std::to_string(mark.line) + ":" + std::to_string(mark.column);
  throw ManifestError(place + ": " + what, {.declared_at = place, .advice = advice});
}

Mark mark_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

/// What is at fault is gathered and left out; only what leaves no sense to the rest ends the reading.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view source, const std::string& file, Faults& faults)
      : source_(source), file_(file), faults_(faults) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse_anchor(mark);
    add(Node{.mark = mark_of(mark)});
  }
  void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse_anchor(mark); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add(Node{.mark = mark_of(mark)}); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    Node node{.mark = mark_of(mark)};
    if (value.size() > kLongestScalar) {
      refuse(node.mark, "a scalar of " + std::to_string(value.size()) + " bytes",
             "write at most " + std::to_string(kLongestScalar));
    } else if (tag == "!") {  // quoted or folded
      node.kind = Node::Kind::kString;
      node.text = value;
    } else {
      refuse_tag(mark, tag);
      if (const char* reason = resolve_plain_scalar(value, node)) {
        refuse(node.mark, "'" + value.substr(0, kShownText) + "' is " + reason, "");
      }
    }
    node.lead = lead_of(value, static_cast<std::size_t>(mark.pos));
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
  /// How far behind its mark the value stands, letter for letter: behind nothing, or a quote.
  std::int8_t lead_of(const std::string& value, std::size_t at) const {
    if (at >= source_.size()) {
      return -1;
    }
    const bool quoted = source_[at] == '\'' || source_[at] == '"';
    return source_.substr(at + (quoted ? 1 : 0), value.size()) == value ? static_cast<std::int8_t>(quoted) : -1;
  }

  void refuse(Mark mark, const std::string& what, const std::string& advice) const {
    if (faults_.full()) {
      fail(file_, mark, what, advice);  // the rest would only be more of them
    }
    faults_.gather([&] { fail(file_, mark, what, advice); });
  }

  void refuse_anchor(const YAML::Mark& mark) const {
    refuse(mark_of(mark), "an anchor or alias", "write the value out");
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!") {
      refuse(mark_of(mark), "the tag " + tag.substr(0, kShownText), "remove it");
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
    if (node.is_map()) {
      drop_faulty_keys(node);
    }
    add(std::move(node));
  }

  static void drop_faulty_keys(Node& map) {
    for (std::size_t i = map.keys.size(); i-- > 0;) {
      if (map.keys[i].empty()) {
        map.keys.erase(map.keys.begin() + static_cast<std::ptrdiff_t>(i));
        map.key_marks.erase(map.key_marks.begin() + static_cast<std::ptrdiff_t>(i));
        map.items.erase(map.items.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

  void add(Node node) {
    if (++values_ > kMostValues) {
      fail(file_, node.mark, "the file holds more than " + std::to_string(kMostValues) + " values", "split it");
    }
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

  /// A key at fault stays as an empty one, with its value, until the mapping ends.
  void add_key(Node& parent, const Node& key) const {
    std::string text = key.text;
    if (parent.keys.size() >= kMostKeys) {
      fail(file_, key.mark, "a mapping with more than " + std::to_string(kMostKeys) + " keys", "split it");
    }
    if (!key.is_string() || text.empty()) {
      refuse(key.mark, "the key " + to_text(key).substr(0, kShownText) + " is no string", "quote it");
      text.clear();
    } else if (parent.find(text) != nullptr) {
      refuse(key.mark, "the key '" + text.substr(0, kShownText) + "' appears twice in one mapping",
             "remove one of them");
      text.clear();
    }
    parent.keys.push_back(std::move(text));
    parent.key_marks.push_back(key.mark);
  }

  std::string_view source_;
  const std::string& file_;
  Faults& faults_;
  std::vector<Node> open_;
  std::size_t values_ = 0;
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

Node read_document(std::string_view text, const std::string& file, Faults& faults) {
  if (text.size() > kLongestFile) {
    fail(file, {1, 1}, "the file has " + std::to_string(text.size()) + " bytes",
         "split it: a file has at most " + std::to_string(kLongestFile));
  }
  check_utf8(text, file);
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(text, file, faults);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      fail(file, {1, 1}, "the file is empty", "");
    }
    TreeBuilder second(text, file, faults);
    if (parser.HandleNextDocument(second)) {
      fail(file, {1, 1}, "the file holds several documents", "split it");
    }
  } catch (const YAML::Exception& error) {
    fail(file, mark_of(error.mark), error.msg, "");
  }
  return builder.take();
}

}  // namespace

Node parse_yaml(std::string_view text, const std::string& file, Faults& faults) {
  Node document;
  faults.gather([&] { document = read_document(text, file, faults); });
  return document;
}

Node parse_yaml(std::string_view text, const std::string& file) {
  Faults faults;
  Node document = parse_yaml(text, file, faults);
  faults.throw_first();
  return document;
}

}  // namespace opyard
