// `aten`: the operators that an entry can stand in front of.
#pragma once

#include "manifest/faults.h"
#include "manifest/schema.h"

namespace opyard {

///   aten: {mm: {self: a, mat2: b}, addmm: {self: bias, mat1: a, mat2: b, beta: 1, alpha: 1}}
///
/// An overload stands behind a dot. Each argument of the operator is an input, a parameter, `out`, or the one literal
/// that it may have; an argument that is left out may have its default only, and a tensor given as null is not read. A
/// key that is no argument but a parameter of the entry gives that parameter a literal. Gathers operators that do not
/// exist or are composites, and argument maps that do not fit the operator's schema.
void validate_aten(const Schema& schema, Faults& faults);

}  // namespace opyard
