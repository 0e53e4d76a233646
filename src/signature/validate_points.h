// Whether an entry can be called at all its points: the part of the validator that needs plans.
#pragma once

#include "manifest/faults.h"
#include "signature/signature.h"

namespace opyard {

/// Makes the plan of every point that no rule excludes. Axes that no declaration relates are not multiplied: each group
/// of related ones is enumerated while the others stay at their first accepted combination.
/// Throws ManifestError for a point where something cannot be solved or decided.
void validate_points(const Signature& signature);

/// The same, the faults of all points gathered.
void validate_points(const Signature& signature, Faults& faults);

}  // namespace opyard
