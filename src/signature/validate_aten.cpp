#include "signature/validate_aten.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>

#include "error/nearest_name.h"
#include "manifest/fields.h"

namespace opyard {
namespace {

/// The operators with kernels of their own that torch's well-known composites end in.
std::string leaves_of(const std::string& op) {
  static const std::pair<const char*, const char*> kLeaves[] = {
      {"softmax", "_softmax"},
      {"log_softmax", "_log_softmax"},
      {"layer_norm", "native_layer_norm"},
      {"rms_norm", "_fused_rms_norm"},
      {"group_norm", "native_group_norm"},
      {"batch_norm", "native_batch_norm"},
      {"instance_norm", "native_batch_norm"},
      {"linear", "mm or addmm"},
      {"matmul", "mm, bmm or dot"},
      {"scaled_dot_product_attention", "_scaled_dot_product_flash_attention_for_cpu"},
      {"max_pool2d", "max_pool2d_with_indices"},
      {"max_pool3d", "max_pool3d_with_indices"},
      {"conv1d", "convolution"},
      {"conv2d", "convolution"},
      {"conv3d", "convolution"},
      {"var", "var.correction"},
      {"std", "std.correction"},
  };
  const std::string name = op.substr(0, op.find('.'));
  for (const auto& [composite, leaf] : kLeaves) {
    if (name == composite) {
      return leaf;
    }
  }
  return "";
}

class AtenValidator {
 public:
  AtenValidator(const Schema& schema, Faults& faults)
      : schema_(schema), faults_(faults), place_(place_in(schema, "aten")) {
    for (const TensorDecl& input : schema.inputs) {
      tensors_.push_back(input.name);
    }
    for (const ParamDecl& param : schema.params) {
      (param.is_tensor ? tensors_ : params_).push_back(param.name);
    }
    tensors_.emplace_back("out");
  }

  void check() {
    expect_kind(schema_.aten, Node::Kind::kMap, place_);
    for (std::size_t i = 0; i < schema_.aten.keys.size(); ++i) {
      faults_.gather([&] { check_operator(schema_.aten.keys[i], schema_.aten.key_marks[i], schema_.aten.items[i]); });
    }
  }

 private:
  c10::OperatorHandle find(const std::string& op, Mark mark) const {
    const std::size_t dot = op.find('.');
    const std::string name = "aten::" + op.substr(0, dot);
    const std::string overload = dot == std::string::npos ? "" : op.substr(dot + 1);
    auto& dispatcher = c10::Dispatcher::singleton();
    if (const auto handle = dispatcher.findSchema({name, overload})) {
      return *handle;
    }
    std::vector<std::string> known;
    for (const c10::OperatorName& candidate : dispatcher.getAllOpNames()) {
      if (candidate.name.rfind("aten::", 0) == 0) {
        known.push_back(candidate.name.substr(6) +
                        (candidate.overload_name.empty() ? "" : "." + candidate.overload_name));
      }
    }
    fail_manifest(place_, mark, "torch has no operator aten::" + op,
                  "an operator, with its overload behind a dot" + nearest_name(op, known), op);
  }

  void check_operator(const std::string& op, Mark mark, const Node& arguments) {
    const c10::OperatorHandle handle = find(op, mark);
    if (handle.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd)) {
      const std::string leaf = leaves_of(op);
      fail_manifest(place_, mark, "aten::" + op + " is a composite of other operators",
                    "an operator with kernels of its own", op,
                    leaf.empty() ? "name the operators that it calls" : "name " + leaf);
    }
    expect_kind(arguments, Node::Kind::kMap, place_);
    std::vector<std::string> known;
    for (const c10::Argument& argument : handle.schema().arguments()) {
      known.push_back(argument.name());
      faults_.gather([&] { check_argument(op, argument, arguments, mark); });
    }
    for (std::size_t i = 0; i < arguments.keys.size(); ++i) {
      faults_.gather([&] {
        if (std::find(known.begin(), known.end(), arguments.keys[i]) == known.end() &&
            !is_param_literal(arguments.keys[i], arguments.items[i])) {
          fail_manifest(place_, arguments.key_marks[i], "aten::" + op + " has no such argument",
                        toString(handle.schema()) + nearest_name(arguments.keys[i], known), arguments.keys[i]);
        }
      });
    }
    faults_.gather([&] { check_inputs_covered(op, mark, arguments); });
    faults_.gather([&] { check_returns(op, mark, handle.schema()); });
  }

  bool is_param_literal(const std::string& name, const Node& value) const {
    return !value.is_map() && std::find(params_.begin(), params_.end(), name) != params_.end();
  }

  void check_argument(const std::string& op, const c10::Argument& argument, const Node& arguments, Mark mark) const {
    const Node* given = arguments.find(argument.name());
    if (given == nullptr) {
      if (!argument.default_value()) {
        fail_manifest(place_, mark, "aten::" + op + " needs its argument '" + argument.name() + "'",
                      "an input, a parameter or a literal for it");
      }
      return;
    }
    if (!given->is_string()) {
      return;  // the one literal it may have
    }
    const std::string type = argument.type()->str();
    const bool wants_tensor = type.find("Tensor") != std::string::npos;
    const std::vector<std::string>& fitting = wants_tensor ? tensors_ : params_;
    const std::vector<std::string>& others = wants_tensor ? params_ : tensors_;
    if (std::find(others.begin(), others.end(), given->text) != others.end()) {
      fail_manifest(place_, given->mark, "the argument '" + argument.name() + "' of aten::" + op + " has another kind",
                    type, given->text);
    }
    if (std::find(fitting.begin(), fitting.end(), given->text) == fitting.end()) {
      fail_manifest(place_, given->mark, "'" + given->text + "' is no input or parameter of this entry",
                    "such a name" + nearest_name(given->text, fitting), given->text);
    }
  }

  void check_inputs_covered(const std::string& op, Mark mark, const Node& arguments) const {
    for (const TensorDecl& input : schema_.inputs) {
      const bool required = !input.optional && input.present_when.empty();
      const bool mapped = std::any_of(arguments.items.begin(), arguments.items.end(),
                                      [&](const Node& item) { return item.is_string() && item.text == input.name; });
      if (required && !mapped) {
        fail_manifest(place_, mark, "no argument of aten::" + op + " gives the input '" + input.name + "'");
      }
    }
  }

  /// As many tensors come back; an operator may return fewer than the entry where the rest may be absent.
  void check_returns(const std::string& op, Mark mark, const c10::FunctionSchema& schema) const {
    const auto required =
        static_cast<std::size_t>(std::count_if(schema_.outputs.begin(), schema_.outputs.end(),
                                               [](const TensorDecl& output) { return output.nullable.empty(); }));
    const std::size_t returned = schema.returns().size();
    if (returned < required || returned > schema_.outputs.size()) {
      fail_manifest(place_, mark, "aten::" + op + " returns another number of tensors", std::to_string(required),
                    std::to_string(returned));
    }
  }

  const Schema& schema_;
  Faults& faults_;
  Place place_;
  std::vector<std::string> tensors_;
  std::vector<std::string> params_;
};

}  // namespace

void validate_aten(const Schema& schema, Faults& faults) {
  if (!schema.aten.is_null()) {
    faults.gather([&] { AtenValidator(schema, faults).check(); });
  }
}

}  // namespace opyard
