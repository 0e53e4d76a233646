// The custom ops a compiler sees: one for each operator with a call-time tensor input, named after its family.
#pragma once

#include <registry/registry.h>
#include <signature/signature.h>

#include <string>
#include <vector>

namespace opyard {

/// `<family>_<operator in snake case, without Op>`, the family not repeated: `norm_rms_norm_fwd`, `gemm_fwd`.
std::string boundary_name(const Signature& signature);

/// The schema in torch's language: inputs in order, `?` where optional, then `str instance_key`; outputs.
std::string boundary_schema(const Signature& signature);

/// Defines the custom ops of all operators of a registry in torch's namespace `opyard`: the call for every backend, the
/// fake, and the refusal to record a gradient. Again in a process: nothing.
void define_boundaries(Registry& registry);

/// The same for one operator that was added later. Throws ManifestError when another operator has its boundary's name.
void define_boundary(Registry& registry, const std::shared_ptr<const Signature>& signature);

/// The boundaries of one operator as qualified names, empty where it has none.
std::vector<std::string> compile_op_names(const Signature& signature);

}  // namespace opyard
