// Reads the keys of one mapping, each at most once, and refuses those left over.
#pragma once

#include <string>
#include <vector>

#include "manifest/expression.h"
#include "manifest/faults.h"
#include "manifest/node.h"

namespace opyard {

/// A key that is missing, unknown or of the wrong kind is a fault, and reading goes on.
class Fields {
 public:
  /// Throws ManifestError unless `node`, which must outlive this object, is a mapping.
  Fields(const Node& node, Place place, Faults& faults);

  /// The value, or nullptr when the key is absent or null.
  const Node* find(const char* key);
  const Node* require(const char* key);

  std::string string(const char* key);  // empty when absent
  bool flag(const char* key);
  Text text(const char* key);           // a string holding an expression
  Text required_text(const char* key);  // the same
  Text condition(const char* key);      // true gives "True", false nothing

  /// Ends the reading: keys that were never asked for are faults.
  void finish();

  /// Whether this mapping had no fault so far.
  bool sound() const { return sound_; }
  void fail(const char* key, const Node& at, const std::string& expected);

 private:
  void add_fault(Mark mark, const std::string& message, std::string expected = "", std::string got = "",
                 std::string advice = "");

  const Node& node_;
  Place place_;
  Faults& faults_;
  bool sound_ = true;
  std::vector<std::string> known_;
};

/// Throws ManifestError unless the node has the kind.
void expect_kind(const Node& node, Node::Kind kind, const Place& place);

/// A string node as Text; throws for other kinds.
Text text_of(const Node& node, const Place& place);

}  // namespace opyard
