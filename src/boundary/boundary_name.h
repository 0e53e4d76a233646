// What a compiler sees of an operator: names and schemas of its custom ops.
#pragma once

#include <signature/effects.h>
#include <signature/signature.h>

#include <string>
#include <vector>

namespace opyard {

/// `<family>_<operator in snake case, without Op>`, the family not repeated: `norm_rms_norm_fwd`, `gemm_fwd`. Then
/// `_writes_<input>` for each input that is written, in alphabetical order, and `_without_<output>` for each that is
/// None: a compiler sees one custom op for each effect that a call can have.
std::string boundary_name(const Signature& signature, const Effects& effects);

/// The schema in torch's language: inputs in order, `?` where optional, `(a!)` where written, then `str instance_key`.
/// It returns the outputs that are emitted and no written input.
std::string boundary_schema(const Signature& signature, const Effects& effects);

/// The outputs that a custom op returns, by number.
std::vector<std::size_t> returned_outputs(const Effects& effects);

/// The boundaries of one operator as qualified names, one for each of its effect branches; empty where it has none.
std::vector<std::string> compile_op_names(const Signature& signature);

}  // namespace opyard
