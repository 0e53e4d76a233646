// A condition written in the manifest's expression language, over the arguments of any operator.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <manifest/expression.h>

#include <string>

namespace opyard {

/// Names are the operator's arguments and the dtypes. A tensor has `dtype`, `ndim` and `shape`; functions are
/// present(x), len(x), numel(tensor), contiguous(tensor) and capability(tensor), which is 10 * major + minor of a CUDA
/// device, else -1. The text means the same as Python.
class ArgumentExpression {
 public:
  /// Throws ManifestError for a text outside the language, ContractError for an unknown name.
  ArgumentExpression(std::string text, const c10::FunctionSchema& schema);

  /// `arguments` are those of the schema. Throws ContractError where the expression has no truth: an index out of
  /// range, an attribute of an absent tensor.
  bool holds(c10::ArrayRef<c10::IValue> arguments) const;

  const std::string& text() const { return text_; }

 private:
  void resolve(Expression& expression, const c10::FunctionSchema& schema) const;

  std::string text_;
  std::string op_;
  Expression root_;  // kName holds the argument's index; a dtype's name became kInt with its number and its name
};

}  // namespace opyard
