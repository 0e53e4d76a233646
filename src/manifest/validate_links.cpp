#include "manifest/validate_links.h"

#include <algorithm>

#include "error/nearest_name.h"

namespace opyard {
namespace {

using Names = std::vector<std::string>;

const Node* child(const Node* node, const char* key) { return node == nullptr ? nullptr : node->find(key); }

/// The names that the signature declares under the keys.
Names declared(const EntryText& entry, std::initializer_list<const char*> keys) {
  Names names;
  for (const char* key : keys) {
    if (const Node* declarations = child(entry.entry.find("signature"), key)) {
      names.insert(names.end(), declarations->keys.begin(), declarations->keys.end());
    }
  }
  return names;
}

class LinkValidator {
 public:
  LinkValidator(const std::vector<EntryText>& entries, const Names& known, Faults& faults)
      : entries_(entries), known_(known), faults_(faults) {
    for (const EntryText& entry : entries) {
      known_.push_back(entry.op);
    }
  }

  void check(const EntryText& entry) {
    if (const Node* backward = entry.entry.find("backward")) {
      check_backward(entry, *backward);
    }
    if (const Node* stages = child(entry.entry.find("composition"), "stages")) {
      for (const Node& stage : stages->items) {
        check_operator(stage.find("op"), {entry.file, entry.op, "composition"});
      }
    }
  }

 private:
  /// What is no text has been refused where the entry itself was read.
  void check_operator(const Node* op, const Place& place) {
    faults_.gather([&] {
      if (op != nullptr && op->is_string() && std::find(known_.begin(), known_.end(), op->text) == known_.end()) {
        fail_manifest(place, op->mark, "no operator has this name: " + op->text,
                      "a declared operator" + nearest_name(op->text, known_), op->text,
                      "declare it, or load its manifest first");
      }
    });
  }

  void check_backward(const EntryText& entry, const Node& backward) {
    const Place place{entry.file, entry.op, "backward"};
    const Node* op = backward.find("op");
    check_operator(op, place);
    const auto named = std::find_if(entries_.begin(), entries_.end(), [&](const EntryText& candidate) {
      return op != nullptr && op->is_string() && candidate.op == op->text;
    });
    if (named != entries_.end()) {
      check_keys(backward.find("given"), declared(*named, {"inputs", "params"}), "input or parameter", *named, place);
      check_keys(backward.find("gives"), declared(*named, {"outputs"}), "output", *named, place);
    }
  }

  void check_keys(const Node* map, const Names& names, const char* what, const EntryText& named, const Place& place) {
    for (std::size_t i = 0; map != nullptr && i < map->keys.size(); ++i) {
      faults_.gather([&] {
        if (std::find(names.begin(), names.end(), map->keys[i]) == names.end()) {
          fail_manifest(place, map->key_marks[i], "'" + map->keys[i] + "' is no " + what + " of " + named.op,
                        what + nearest_name(map->keys[i], names), map->keys[i]);
        }
      });
    }
  }

  const std::vector<EntryText>& entries_;
  Names known_;
  Faults& faults_;
};

}  // namespace

void validate_links(const std::vector<EntryText>& entries, const Names& known, Faults& faults) {
  LinkValidator validator(entries, known, faults);
  for (const EntryText& entry : entries) {
    validator.check(entry);
  }
}

}  // namespace opyard
