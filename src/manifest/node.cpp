#include "manifest/node.h"

#include <opyard/value.h>

namespace opyard {

const Node* Node::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) {
      return &items[i];
    }
  }
  return nullptr;
}

const char* kind_name(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::kNull:
      return "null";
    case Node::Kind::kBool:
      return "true or false";
    case Node::Kind::kInt:
      return "an integer";
    case Node::Kind::kFloat:
      return "a float";
    case Node::Kind::kString:
      return "a string";
    case Node::Kind::kList:
      return "a list";
    case Node::Kind::kMap:
      return "a mapping";
  }
  return "";
}

std::string to_text(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "null";
    case Node::Kind::kBool:
      return node.integer != 0 ? "true" : "false";
    case Node::Kind::kInt:
      return std::to_string(node.integer);
    case Node::Kind::kFloat:
      return to_text(Value(node.number));
    case Node::Kind::kString:
      return to_text(Value(node.text));
    case Node::Kind::kList:
    case Node::Kind::kMap:
      break;
  }
  std::string text = node.is_list() ? "[" : "{";
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    text.append(i > 0 ? ", " : "");
    if (node.is_map()) {
      text.append(to_text(Value(node.keys[i]))).append(": ");
    }
    text.append(to_text(node.items[i]));
  }
  return text + (node.is_list() ? "]" : "}");
}

}  // namespace opyard
