#include "manifest/fields.h"

#include <algorithm>

#include "error/nearest_name.h"

namespace opyard {
namespace {

constexpr std::size_t kShownText = 80;  // of an offending value

}  // namespace

void expect_kind(const Node& node, Node::Kind kind, const Place& place) {
  if (node.kind != kind) {
    fail_manifest(place, node.mark, "wrong kind of value", kind_name(kind),
                  std::string(kind_name(node.kind)) + " " + to_text(node).substr(0, kShownText));
  }
}

Text text_of(const Node& node, const Place& place) {
  expect_kind(node, Node::Kind::kString, place);
  if (node.text.empty()) {
    fail_manifest(place, node.mark, "empty text");
  }
  return {node.text, node.mark, node.lead};
}

Fields::Fields(const Node& node, Place place, Faults& faults) : node_(node), place_(std::move(place)), faults_(faults) {
  expect_kind(node, Node::Kind::kMap, place_);
}

void Fields::add_fault(Mark mark, const std::string& message, std::string expected, std::string got,
                       std::string advice) {
  sound_ = faults_.gather([&] {
    fail_manifest(place_, mark, message, std::move(expected), std::move(got), std::move(advice));
  }) && sound_;
}

void Fields::fail(const char* key, const Node& at, const std::string& expected) {
  add_fault(at.mark, std::string("wrong value of '") + key + "'", expected, to_text(at).substr(0, kShownText));
}

const Node* Fields::find(const char* key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
    known_.emplace_back(key);
  }
  const Node* value = node_.find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

const Node* Fields::require(const char* key) {
  const Node* value = find(key);
  if (value == nullptr) {
    add_fault(node_.mark, std::string("the key '") + key + "' is missing");
  }
  return value;
}

std::string Fields::string(const char* key) {
  const Node* value = find(key);
  if (value != nullptr && !value->is_string()) {
    fail(key, *value, "a string");
  }
  return value == nullptr ? "" : value->text;
}

bool Fields::flag(const char* key) {
  const Node* value = find(key);
  if (value != nullptr && value->kind != Node::Kind::kBool) {
    fail(key, *value, "true or false");
  }
  return value != nullptr && value->integer != 0;
}

Text Fields::text(const char* key) {
  const Node* value = find(key);
  if (value == nullptr) {
    return {};
  }
  if (!value->is_string() || value->text.empty()) {
    fail(key, *value, "a non-empty string");
  }
  return {value->text, value->mark, value->lead};
}

Text Fields::required_text(const char* key) { return require(key) == nullptr ? Text{} : text(key); }

Text Fields::condition(const char* key) {
  const Node* value = find(key);
  if (value != nullptr && value->kind == Node::Kind::kBool) {
    return value->integer != 0 ? Text{"True", value->mark} : Text{};
  }
  return text(key);
}

void Fields::finish() {
  for (std::size_t i = 0; i < node_.keys.size(); ++i) {
    const std::string& key = node_.keys[i];
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) {
      continue;
    }
    std::string keys;
    for (const std::string& known : known_) {
      keys += (keys.empty() ? "" : ", ") + known;
    }
    add_fault(node_.key_marks[i], "unknown key '" + key + "'", "one of " + keys + nearest_name(key, known_), key);
  }
}

}  // namespace opyard
