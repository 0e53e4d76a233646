// Operators from C++: construct by name, call with tensors.
#pragma once

#include <ATen/core/Tensor.h>
#include <opyard/call_record.h>
#include <opyard/value.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace opyard {

class Instance;

/// A constructed operator. Cheap to copy: copies are the same instance. Called from any number of threads at once.
class Op {
 public:
  explicit Op(std::shared_ptr<Instance> instance) : instance_(std::move(instance)) {}

  /// Inputs in the order of the signature; an undefined tensor, or a missing trailing one, is an absent optional.
  /// Gives the first output. Throws SignatureError, OpNotAvailableError, BuildError.
  at::Tensor operator()(std::initializer_list<at::Tensor> inputs) const;

  /// The same with every output.
  std::vector<at::Tensor> call(c10::ArrayRef<at::Tensor> inputs) const;

  /// The newest completed call, of any thread; null before any.
  CallRecordPtr last_call() const;

  /// What would serve a call with these inputs, and why the others would not. Runs and builds nothing.
  std::string explain(c10::ArrayRef<at::Tensor> inputs) const;

  const std::shared_ptr<Instance>& instance() const { return instance_; }

 private:
  std::shared_ptr<Instance> instance_;
};

/// Throws SignatureError for parameters that the declaration forbids, OpNotAvailableError for an unknown operator.
Op make_op(const std::string& op, const std::vector<NamedValue>& params = {}, const std::string& target = {});

}  // namespace opyard
