// What both implementations share: the rotation's parameters, its angles, and the error for a position outside.
#pragma once

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>
#include <lib/parameters.h>
#include <opyard/error.h>

namespace opyard::kernels::OPYARD_ISA {

struct Rotation {
  std::int64_t max_position;
  double base;
  std::int64_t width;  // columns that rotate

  static Rotation of(const CallSpec& spec) {
    const Value& width = spec.param("rotary_dim");
    const std::int64_t head = spec.inputs().front().second.sizes[2];
    return {spec.param("max_position").get<std::int64_t>(), number(spec.param("base")),
            width.is_none() ? head : width.get<std::int64_t>()};
  }

  Value identity() const { return Sequence{max_position, base, width}; }

  /// Angles [positions, width / 2], rounded step by step as transformers' Llama rounds them: to float32, and to float64
  /// where that is what is rotated.
  at::Tensor angles(const at::Tensor& positions, at::ScalarType dtype = at::kFloat) const {
    const at::Tensor exponents =
        at::arange(0, width, 2, positions.options().dtype(at::kLong)).to(dtype).div(static_cast<double>(width));
    const at::Tensor frequencies = at::pow(at::Scalar(base), exponents).reciprocal();
    return positions.to(dtype).unsqueeze(1) * frequencies;
  }
};

[[noreturn]] inline void raise_outside(std::int64_t position, std::int64_t max_position) {
  ErrorFacts facts;
  facts.op = "RoPENeoxPositionIdsFwdOp";
  facts.argument = "positions";
  facts.expected = "0 <= position < max_position = " + std::to_string(max_position);
  facts.got = std::to_string(position);
  facts.advice = "construct the operator with a larger max_position";
  throw SignatureError(SignatureError::Kind::kValue, "a position is outside the rotation's table", std::move(facts));
}

}  // namespace opyard::kernels::OPYARD_ISA
