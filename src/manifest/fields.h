// Reads the keys of one mapping, each at most once, and refuses those left over.
#pragma once

#include <string>
#include <vector>

#include "manifest/expression.h"
#include "manifest/node.h"

namespace opyard {

class Fields {
 public:
  /// `node` must be a mapping and outlive this object.
  Fields(const Node& node, Place place);

  /// The value, or nullptr when the key is absent or null.
  const Node* find(const char* key);
  const Node& require(const char* key);

  std::string string(const char* key);  // empty when absent
  bool flag(const char* key);
  Text text(const char* key);                               // a string holding an expression
  Text required_text(const char* key);                      // the same; scalars of other kinds are refused
  Text condition(const char* key, bool* always = nullptr);  // true gives "True" (and *always), false nothing

  /// Throws ManifestError when a key was never asked for.
  void finish() const;

  const Node& node() const { return node_; }
  [[noreturn]] void fail(const char* key, const Node& at, const std::string& expected) const;

 private:
  const Node& node_;
  Place place_;
  std::vector<std::string> known_;
};

/// Throws ManifestError unless the node has the kind.
void expect_kind(const Node& node, Node::Kind kind, const Place& place);

/// A string node as Text; throws for other kinds.
Text text_of(const Node& node, const Place& place);

}  // namespace opyard
