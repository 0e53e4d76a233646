// Where a declared parallel index stands in the tensors of a call: what vmap may add a dim to.
#pragma once

#include <signature/signature.h>

#include <optional>
#include <vector>

namespace opyard {

/// The place of a parallel index in one tensor, counted from its first axis or, for one behind a splice, from its last.
struct AxisPlace {
  bool from_right = false;
  std::int64_t distance = 0;
};

/// One parallel index at the point of a call.
struct BatchAxis {
  bool is_shape = false;  // a sequence of dims takes one more in front; a single dim is multiplied
  std::vector<std::optional<AxisPlace>> inputs;   // nothing: the tensor does not have the index
  std::vector<std::optional<AxisPlace>> outputs;  // of absent outputs: nothing
};

/// The indices of `parallel` along which a call of these inputs can be batched: each stands by itself, at most once in
/// a tensor, and no rule, size or dtype is computed from it.
std::vector<BatchAxis> batch_axes(const Signature& signature, const Construction& construction,
                                  const at::Tensor* const* inputs);

}  // namespace opyard
