#include "manifest/validate_kinds.h"

#include "manifest/validate_shapes.h"

namespace opyard {
namespace {

using Tag = Kind::Tag;

/// In a dtype a dtype's name is that dtype, unless the entry declares the name.
void check_dtype(const EntryScopes& entry, const TensorDecl& tensor, const std::string& what) {
  KindScope dtypes = entry.shapes;
  for_each_name(parse_expression(tensor.dtype, entry.place(what)), [&](const std::string& name) {
    if (is_dtype_name(name)) {
      dtypes.names.emplace(name, dtype_kind({name}));
    }
  });
  const Kind dtype = entry.infer(tensor.dtype, dtypes, what);
  if (!dtype.is(Tag::kDtype)) {
    fail_manifest(entry.place(what), tensor.dtype.mark, "a tensor's dtype is a dtype: " + tensor.dtype.text, "DType",
                  to_text(dtype));
  }
}

void check_tensor(EntryScopes& entry, ShapeValidator& shapes, const TensorDecl& tensor) {
  const std::string what = "tensor '" + tensor.name + "'";
  if (!tensor.shape.empty()) {
    entry.faults.gather([&] { shapes.check_shape(tensor.shape, entry.shapes, what + " shape"); });
  }
  if (!tensor.dtype.empty()) {
    entry.faults.gather([&] { check_dtype(entry, tensor, what + " dtype"); });
  }
  for (const auto& [key, condition] :
       {std::pair{" optional", &tensor.present_when}, {" mutated", &tensor.mutated}, {" nullable", &tensor.nullable}}) {
    if (!condition->empty()) {
      entry.faults.gather(
          [&, key = key, condition = condition] { entry.require_bool(*condition, entry.shapes, what + key); });
    }
  }
}

}  // namespace

void validate_kinds(EntryScopes& entry) {
  for (std::size_t i = 0; i < entry.schema.rules.size(); ++i) {
    const Text& rule = entry.schema.rules[i].rule;
    if (!rule.empty()) {
      entry.faults.gather([&] { entry.require_bool(rule, entry.rules, "shape_rules[" + std::to_string(i) + "]"); });
    }
  }
  ShapeValidator shapes(entry);
  for (const auto* tensors : {&entry.schema.construction_tensors, &entry.schema.inputs, &entry.schema.outputs}) {
    for (const TensorDecl& tensor : *tensors) {
      check_tensor(entry, shapes, tensor);
    }
  }
  shapes.check_families();
}

}  // namespace opyard
