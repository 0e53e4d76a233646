// Operators computed by others: a body in C++ and the sub-operators that it holds.
#pragma once

#include <opyard/kernel.h>
#include <opyard/op.h>

#include <functional>
#include <string>
#include <vector>

namespace opyard {

/// A sub-operator under its stage. The record of a call lists the stages in this order, each with the calls made.
struct HeldOp {
  std::string stage;
  Op op;
};

/// An operator whose calls run `body`, which calls the operators in `held` and gives every output by set_output. The
/// call's check, its record, and undo are those of any call; `body` is called from any number of threads at once, and
/// calls of opyard's operators that are not held are an error of the call. Throws as make_op does.
Op make_composite(const std::string& op, const std::vector<NamedValue>& params, const std::vector<HeldOp>& held,
                  std::function<void(KernelCall&)> body, const std::string& target = {});

}  // namespace opyard
