// Plain YAML data with source positions: what a manifest file holds before it has a meaning.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opyard {

/// A place in a source file; lines and columns count from 1, 0 is unknown.
struct Mark {
  std::int32_t line = 0;
  std::int32_t column = 0;
};

struct Node {
  enum class Kind : std::uint8_t { kNull, kBool, kInt, kFloat, kString, kList, kMap };

  Kind kind = Kind::kNull;
  std::int8_t lead =
      -1;  // kString: bytes from the mark to the text; -1 where the file does not write it letter by letter
  Mark mark;
  std::int64_t integer = 0;       // kInt; kBool as 0 or 1
  double number = 0;              // kFloat
  std::string text;               // kString
  std::vector<Node> items;        // kList; kMap: the values
  std::vector<std::string> keys;  // kMap, in the file's order, no key twice
  std::vector<Mark> key_marks;

  bool is_null() const { return kind == Kind::kNull; }
  bool is_string() const { return kind == Kind::kString; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_map() const { return kind == Kind::kMap; }

  /// The value of a key, or nullptr; also when this is no mapping.
  const Node* find(std::string_view key) const;
};

/// What a reader of an error expects to see: `a string`, `a list`.
const char* kind_name(Node::Kind kind);

/// One line in YAML's flow style, for errors and for the digest: the same for equal content, without positions.
std::string to_text(const Node& node);

class Faults;

/// Reads one YAML document as PyYAML's safe loader does. Refuses duplicate keys, anchors, tags, several documents, text
/// that is not UTF-8, and what is larger or deeper than any manifest. Throws ManifestError with file:line:column.
Node parse_yaml(std::string_view text, const std::string& file);

/// The same, faults gathered: what is at fault is left out of the tree, which is null where no tree could be made.
Node parse_yaml(std::string_view text, const std::string& file, Faults& faults);

}  // namespace opyard
