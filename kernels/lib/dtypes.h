// The dtypes that kernels declare, and the step from a dtype to a C++ type.
#pragma once

#include <c10/core/ScalarType.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <vector>

namespace opyard::kernels::OPYARD_ISA {

/// What the vectorised kernels serve.
inline std::vector<c10::ScalarType> float_dtypes() {
  return {c10::ScalarType::Float, c10::ScalarType::BFloat16, c10::ScalarType::Half};
}

/// What aten serves.
inline std::vector<c10::ScalarType> aten_dtypes() {
  return {c10::ScalarType::Float, c10::ScalarType::BFloat16, c10::ScalarType::Half, c10::ScalarType::Double};
}

/// Calls `body` with a value of the C++ type of one of float_dtypes().
template <class Body>
auto with_float_type(c10::ScalarType dtype, Body body) {
  switch (dtype) {
    case c10::ScalarType::BFloat16:
      return body(c10::BFloat16());
    case c10::ScalarType::Half:
      return body(c10::Half());
    default:
      return body(float());
  }
}

}  // namespace opyard::kernels::OPYARD_ISA
