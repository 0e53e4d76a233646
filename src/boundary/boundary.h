// The custom ops a compiler sees: one for each operator with a call-time tensor input, named after its family.
#pragma once

#include <boundary/boundary_name.h>
#include <registry/registry.h>

#include <memory>

namespace opyard {

/// Defines the custom ops of the built-in operators, which the registry has, in torch's namespace `opyard`: the call
/// for every backend, the fake, and the record of a gradient. Again in a process: nothing.
void define_boundaries(Registry& registry);

/// The same for one operator that was added later. Throws ManifestError when another operator has its boundary's name.
void define_boundary(Registry& registry, const std::shared_ptr<const Signature>& signature);

}  // namespace opyard
