// The general implementation of an operator by aten: a function of the call and of the parameters, read once.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>
#include <lib/parameters.h>
#include <opyard/aten_original.h>

namespace opyard::kernels::OPYARD_ISA {

/// A parameter that only some operators of a family declare; null where there is none of this name.
inline const Value* find_param(const CallSpec& spec, std::string_view name) {
  for (const auto& [own, value] : spec.params()) {
    if (own == name) {
      return &value;
    }
  }
  return nullptr;
}

inline bool flag(const CallSpec& spec, std::string_view name) {
  const Value* value = find_param(spec, name);
  return value != nullptr && value->get<bool>();
}

inline std::optional<c10::ScalarType> optional_dtype(const Value& value) {
  return value.is_none() ? std::nullopt : std::optional<c10::ScalarType>(value.get<c10::ScalarType>());
}

/// A number that keeps its type: an integer stays one, for operators on integers.
inline c10::Scalar scalar(const Value& value) {
  if (const auto* integer = value.get_if<std::int64_t>()) {
    return *integer;
  }
  if (const auto* truth = value.get_if<bool>()) {
    return *truth;
  }
  return value.get<double>();
}

inline std::optional<c10::Scalar> optional_scalar(const Value& value) {
  return value.is_none() ? std::nullopt : std::optional<c10::Scalar>(scalar(value));
}

/// For operators without parameters.
struct NoParameters {
  static NoParameters of(const CallSpec&) { return {}; }
};

/// All parameters by value: what an identity needs to hold where the kernel depends on nothing else.
inline Value identity_of(const CallSpec& spec) {
  Sequence values;
  for (const auto& [name, value] : spec.params()) {
    values.push_back(value);
  }
  return values;
}

/// Serves every dtype of the declaration. `Parameters::of` reads a call spec; `run` writes call.output(0), which is
/// contiguous unless it is the caller's buffer, or gives a tensor to call.set_output. It runs inside AtenOriginal.
template <class Parameters>
Implementation aten_operator(const char* op, double expected_us,
                             void (*run)(KernelCall& call, const Parameters& parameters)) {
  return {
      .op = op,
      .key = "aten",
      .devices = {c10::DeviceType::CPU, c10::DeviceType::CUDA},
      .general = true,
      .entry_for =
          [run](const CallSpec& spec) {
            return Entry{identity_of(spec), [run, parameters = Parameters::of(spec)] {
                           return make_kernel([run, parameters](KernelCall& call) {
                             AtenOriginal original;
                             run(call, parameters);
                           });
                         }};
          },
      .expected_us = expected_us,
  };
}

}  // namespace opyard::kernels::OPYARD_ISA
