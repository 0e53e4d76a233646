// An implementation in front of one of torch's operators.
#pragma once

#include <ATen/core/stack.h>
#include <c10/core/DispatchKey.h>
#include <opyard/registration.h>

#include <functional>
#include <string>

namespace opyard {

struct Override {
  std::string op;  // `aten::relu`, `aten::add.Tensor`
  c10::DispatchKey key = c10::DispatchKey::CPU;
  std::string name;  // in errors and in `opyard.overrides()`

  /// When it serves, in the manifest's expression language over the operator's arguments: `self.dtype == float32 and
  /// self.ndim == 2`. Empty: every call.
  std::string when;

  /// Gets the arguments in the schema's order and appends the results; false passes the call on, and then nothing may
  /// have been written. Called from any number of threads at once. What it raises reaches the caller.
  std::function<bool(c10::ArrayRef<c10::IValue> arguments, torch::jit::Stack& results)> serve;

  /// Where `op` is a functional operator: its in-place and out= forms too, whose results are then copied.
  bool all_forms = true;
};

/// The override registered last is tried first; a call that none serves goes to the kernel that was there before. An
/// implementation that calls the operator which it overrides holds an AtenOriginal (`opyard/aten_original.h`)
/// meanwhile. Throws ContractError for an unknown operator, a key that no backend has, or a condition that cannot be
/// read.
[[nodiscard]] Registration register_override(Override override);

}  // namespace opyard
