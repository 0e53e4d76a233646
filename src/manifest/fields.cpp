#include "manifest/fields.h"

#include <algorithm>

namespace opyard {

void expect_kind(const Node& node, Node::Kind kind, const Place& place) {
  if (node.kind != kind) {
    fail_manifest(place, node.mark, "wrong kind of value", kind_name(kind),
                  std::string(kind_name(node.kind)) + " " + to_text(node).substr(0, 80));
  }
}

Text text_of(const Node& node, const Place& place) {
  expect_kind(node, Node::Kind::kString, place);
  if (node.text.empty()) {
    fail_manifest(place, node.mark, "empty text");
  }
  return {node.text, node.mark};
}

Fields::Fields(const Node& node, Place place) : node_(node), place_(std::move(place)) {
  expect_kind(node, Node::Kind::kMap, place_);
}

const Node* Fields::find(const char* key) {
  known_.emplace_back(key);
  const Node* value = node_.find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

const Node& Fields::require(const char* key) {
  const Node* value = find(key);
  if (value == nullptr) {
    fail_manifest(place_, node_.mark, std::string("the key '") + key + "' is missing");
  }
  return *value;
}

void Fields::fail(const char* key, const Node& at, const std::string& expected) const {
  Place place = place_;
  place.what += (place.what.empty() ? "" : " ") + std::string(key);
  fail_manifest(place, at.mark, "wrong value", expected, to_text(at).substr(0, 80));
}

std::string Fields::string(const char* key) {
  const Node* value = find(key);
  if (value == nullptr) {
    return "";
  }
  if (!value->is_string()) {
    fail(key, *value, "a string");
  }
  return value->text;
}

bool Fields::flag(const char* key) {
  const Node* value = find(key);
  if (value == nullptr) {
    return false;
  }
  if (value->kind != Node::Kind::kBool) {
    fail(key, *value, "true or false");
  }
  return value->integer != 0;
}

Text Fields::text(const char* key) {
  const Node* value = find(key);
  if (value == nullptr) {
    return {};
  }
  if (!value->is_string() || value->text.empty()) {
    fail(key, *value, "a non-empty string");
  }
  return {value->text, value->mark};
}

Text Fields::required_text(const char* key) {
  require(key);
  return text(key);
}

Text Fields::condition(const char* key, bool* always) {
  const Node* value = find(key);
  if (value != nullptr && value->kind == Node::Kind::kBool) {
    if (always != nullptr) {
      *always = value->integer != 0;
    }
    return value->integer != 0 ? Text{"True", value->mark} : Text{};
  }
  return text(key);
}

void Fields::finish() const {
  for (std::size_t i = 0; i < node_.keys.size(); ++i) {
    if (std::find(known_.begin(), known_.end(), node_.keys[i]) == known_.end()) {
      std::string keys;
      for (const std::string& known : known_) {
        keys += (keys.empty() ? "" : ", ") + known;
      }
      fail_manifest(place_, node_.key_marks[i], "unknown key '" + node_.keys[i] + "'", "one of " + keys, node_.keys[i]);
    }
  }
}

}  // namespace opyard
