// What a call writes and returns, where the declaration lets that differ from call to call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "signature/signature.h"

namespace opyard {

struct Effects {
  std::vector<std::int32_t> written;  // inputs, in order
  std::vector<bool> emitted;          // for each output: returned, not None
  std::vector<std::int32_t> aliased;  // for each output: the written input that it is, or -1

  bool operator==(const Effects&) const = default;
};

/// The number of the point that a construction and the presence of each input are at.
std::uint64_t point_of(const Signature::Program& program, const Construction& construction,
                       c10::ArrayRef<bool> present);

/// What a call with these inputs writes and returns. Throws SignatureError where the declaration excludes such calls.
Effects effects_of(const Signature& signature, const Construction& construction, c10::ArrayRef<bool> present);
Effects effects_of(const Signature& signature, const Construction& construction, const at::Tensor* const* inputs);

/// Every distinct one among the points that the declaration accepts; one for most operators.
std::vector<Effects> effect_branches(const Signature& signature);

/// Whether calls of this operator write an input, or may return None.
bool has_effects(const Signature& signature);

}  // namespace opyard
