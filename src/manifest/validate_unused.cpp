#include "manifest/validate_unused.h"

#include <set>

namespace opyard {
namespace {

class ReadNames {
 public:
  explicit ReadNames(const Schema& schema) : schema_(schema) {
    for (const auto* tensors : {&schema.construction_tensors, &schema.inputs, &schema.outputs}) {
      for (const TensorDecl& tensor : *tensors) {
        add_tensor(tensor);
      }
    }
    for (const RuleDecl& rule : schema.rules) {
      add(rule.rule);
    }
    for (const LetDecl& let : schema.lets) {
      add(let.value);
    }
    for (const char* key : {"flops", "bytes"}) {
      if (const Node* formula = schema.roofline.find(key); formula != nullptr) {
        add({formula->text, formula->mark});
      }
    }
    for (const DtypeCombo& combo : schema.dtype_combos) {
      for (const auto& [column, dtype] : combo) {
        names_.insert(column);
      }
    }
  }

  bool has(const std::string& name) const { return names_.count(name) > 0; }
  bool all_readable() const { return all_readable_; }

 private:
  void add_tensor(const TensorDecl& tensor) {
    for (const Text* text : {&tensor.dtype, &tensor.present_when, &tensor.mutated, &tensor.nullable, &tensor.values}) {
      add(*text);
    }
    for (const Text& requirement : tensor.requirements) {
      add(requirement);
    }
    add(tensor.shape, true);
  }

  /// A text that cannot be read has been said to be at fault; what it would have read is not known.
  void add(const Text& text, bool is_shape = false) {
    if (text.empty()) {
      return;
    }
    Faults unread;
    const bool readable = unread.gather([&] {
      const Place place = place_in(schema_, "");
      const Expression expression = is_shape ? parse_shape(text, place) : parse_expression(text, place);
      for_each_name(expression, [&](const std::string& name) { names_.insert(name); });
    });
    all_readable_ = all_readable_ && readable;
  }

  const Schema& schema_;
  std::set<std::string> names_;
  bool all_readable_ = true;
};

}  // namespace

void validate_unused(const Schema& schema, Faults& faults) {
  const ReadNames read(schema);
  if (!read.all_readable()) {
    return;
  }
  const auto require = [&](const std::string& name, const std::string& what, Mark mark) {
    if (!read.has(name) && !faults.is_faulty(name)) {
      faults.gather([&] {
        fail_manifest(place_in(schema, what + " '" + name + "'"), mark, "nothing reads this name", "", name,
                      "use it, or remove it");
      });
    }
  };
  for (const IndexDecl& index : schema.forall) {
    require(index.name, "index", index.kind.mark);
  }
  for (const LetDecl& let : schema.lets) {
    require(let.name, "let", let.value.mark);
  }
}

}  // namespace opyard
