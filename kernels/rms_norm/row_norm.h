// What the device implementations of the root mean square norm read of a call.
#pragma once

#include <c10/util/StringUtil.h>
#include <lib/parameters.h>
#include <opyard/implementation.h>

#include <limits>

namespace opyard::kernels::OPYARD_ISA {

struct RowNorm {
  c10::Device device;
  c10::ScalarType dtype;
  std::int64_t columns;
  bool weighted;
  float eps;

  static RowNorm of(const CallSpec& spec) {
    std::int64_t columns = 1;
    for (const std::int64_t size : integers(spec.param("normalized_shape"))) {
      columns *= size;
    }
    // torch's default for every dtype below double: it normalises in float32.
    const double eps = optional_number(spec.param("eps")).value_or(std::numeric_limits<float>::epsilon());
    return {spec.device, spec.input("x").dtype, columns, spec.present("weight"), static_cast<float>(eps)};
  }

  Value identity() const { return Sequence{device, dtype, columns, weighted, static_cast<double>(eps)}; }

  static Refusal refusal(const CallSpec& spec) {
    const TensorFacts &x = spec.input("x"), &weight = spec.input("weight");
    if (weight.present && weight.dtype != x.dtype) {
      return c10::str("weight is ", dtype_name(weight.dtype), " and x ", dtype_name(x.dtype),
                      "; the kernel takes one dtype");
    }
    return std::nullopt;
  }
};

}  // namespace opyard::kernels::OPYARD_ISA
