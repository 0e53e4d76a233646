// The entry of a matrix product by a kernel that is written for one dtype at a time.
#pragma once

#include <lib/dtypes.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {

/// `multiply(type, call, trans_a, trans_b)`: `type` is a value of the dtype's C++ type. The identity holds what the
/// kernel is built for: both transpositions and the dtype of `a`.
template <class Multiply>
Entry typed_entry(const CallSpec& spec, Multiply multiply) {
  const bool trans_a = spec.param("trans_a").get<bool>();
  const bool trans_b = spec.param("trans_b").get<bool>();
  const c10::ScalarType dtype = spec.input("a").dtype;
  return Entry{Sequence{trans_a, trans_b, dtype}, [=] {
                 return with_float_type(dtype, [&](auto type) {
                   return make_kernel([=](KernelCall& call) { multiply(type, call, trans_a, trans_b); });
                 });
               }};
}

}  // namespace opyard::kernels::OPYARD_ISA
