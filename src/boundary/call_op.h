// A call from C++: straight to the runtime where nothing in torch's dispatcher could matter, else through a custom op.
#pragma once

#include <boundary/boundary_call.h>
#include <call/instance.h>

#include <string>

namespace opyard {

using OpOutputs = c10::SmallVector<at::Tensor, 4>;

/// One tensor an output, undefined where it is absent. `key` names the instance to a custom op: its own key, or the
/// text of its spec where what the dispatcher writes down may outlive it.
OpOutputs call_op(Instance& instance, const std::string& key, const StackInputs& inputs);

}  // namespace opyard
