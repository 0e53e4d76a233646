// opyard's own keys beside the language's: parallel, tolerance, reference, backward.
#pragma once

#include "manifest/faults.h"
#include "manifest/schema.h"

namespace opyard {

/// Gathers values of the wrong kind and names that mean nothing. `aten` needs torch's dispatcher: validate_aten.h.
///
///   parallel: [B, H]                          indices, Dim or Shape, that may be split or batched
///   tolerance: {float32: 1.0e-5}              a number from 0 for dtypes that the entry declares
///   reference: torch.bmm(a, b)                an expression of Python over inputs and parameters; or a function's name
///   backward: {op: XBwdOp, given: {dy: grad(y), x: x}, gives: {dx: x}}
///       the operator, what each of its arguments is, and the input, or inputs, whose gradient each of its outputs is.
///       An argument is an input, an output, its grad(), a parameter, needs(input): whether its gradient is asked for,
///       or a literal
///   backward: aten                            autograd records the aten calls of the general implementation
void validate_own_keys(const Schema& schema, Faults& faults);

}  // namespace opyard
