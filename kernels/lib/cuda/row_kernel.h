// The host of the kernels in rows.cuh: which one a width gets, and its launches.
#pragma once

#include <c10/util/StringUtil.h>
#include <lib/cuda/row_shape.h>
#include <lib/cuda/rows.h>
#include <opyard/cuda.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {

/// What is compiled for: the tensors of a call of one width.
struct RowCase {
  std::string function;  // of lib/cuda/row_functions.cuh
  c10::Device device;
  c10::ScalarType dtype;
  std::int64_t columns;
  bool residual = false, weight = false, bias = false;

  Value identity() const { return Sequence{device, dtype, columns, residual, weight, bias}; }
};

/// The tensors of one launch; absent ones are null.
struct RowTensors {
  const at::Tensor* x = nullptr;
  const at::Tensor* residual = nullptr;
  const at::Tensor* weight = nullptr;
  const at::Tensor* bias = nullptr;
  void* y = nullptr;
  void* total = nullptr;
  float eps = 0.0f;
};

/// y = function(x + residual) * weight + bias for each row, and x + residual itself, in one launch. Rows that are made
/// of aligned packs are held in registers; the kernel for all others is loaded by the first of them.
class RowKernel {
 public:
  explicit RowKernel(const RowCase& what)
      : columns_(what.columns),
        shape_(cuda::RowShape::of(cuda::RowLayout::of(what.columns, what.dtype))),
        any_({kSource, name_of(what, cuda::RowShape::odd())}, what.device) {
    if (cuda::RowLayout::of(what.columns, what.dtype).packed) {
      packed_ = cuda::load({kSource, name_of(what, shape_)}, what.device);
    } else {
      any_.get();
    }
  }

  void launch(const RowTensors& tensors) const {
    const cuda::Rows x(*tensors.x, columns_);
    const cuda::Rows residual(tensors.residual != nullptr ? *tensors.residual : *tensors.x, columns_);
    const at::Tensor weight = run_of(tensors.weight), bias = run_of(tensors.bias);
    Arguments arguments{x.data(),     tensors.residual != nullptr ? residual.data() : nullptr,
                        data(weight), data(bias),
                        tensors.y,    tensors.total,
                        x.rows(),     columns_,
                        x.stride(),   residual.stride(),
                        tensors.eps};
    const bool aligned = packed_ != nullptr && x.packs_aligned() && residual.packs_aligned() &&
                         cuda::aligned(arguments.weight) && cuda::aligned(arguments.bias) &&
                         cuda::aligned(arguments.y) && cuda::aligned(arguments.total);
    const cuda::RowShape shape = aligned ? shape_ : cuda::RowShape::odd();
    cuda::Launch launch;
    launch.grid[0] = static_cast<std::uint32_t>((x.rows() + shape.rows - 1) / shape.rows);
    launch.block[0] = static_cast<std::uint32_t>(shape.threads * shape.rows);
    void* parameters[] = {&arguments};
    (aligned ? *packed_ : any_.get()).launch(launch, parameters);
  }

 private:
  static constexpr const char* kSource = "#include <lib/cuda/rows.cuh>\n";

  /// As in rows.cuh.
  struct Arguments {
    const void *x, *residual, *weight, *bias;
    void *y, *total;
    std::int64_t rows, columns, stride, residual_stride;
    float eps;
  };

  static std::string name_of(const RowCase& what, const cuda::RowShape& shape) {
    const auto text = [](bool value) { return value ? "true" : "false"; };
    const std::string begin =
        c10::str(shape.held() ? "opyard::held_rows<" : "opyard::read_rows<", "opyard::", what.function, ", ",
                 cuda::type_name(what.dtype), ", opyard::Parts<", text(what.residual), ", ", text(what.weight), ", ",
                 text(what.bias), ">, ", shape.threads, ", ");
    if (!shape.held()) {
      return c10::str(begin, text(shape.packed), ">");
    }
    return c10::str(begin, shape.rows, ", ", shape.packs, ", ", text(shape.full), ", ", shape.blocks, ">");
  }

  static at::Tensor run_of(const at::Tensor* tensor) { return tensor == nullptr ? at::Tensor() : tensor->contiguous(); }
  static const void* data(const at::Tensor& tensor) { return tensor.defined() ? tensor.const_data_ptr() : nullptr; }

  std::int64_t columns_;
  cuda::RowShape shape_;
  std::shared_ptr<const cuda::Function> packed_;  // null where no row of this width is made of whole packs
  cuda::LateFunction any_;
};

/// What the kernels are declared for; parts of a row have one dtype.
inline Refusal mixed_dtypes(const CallSpec& spec) {
  const auto& [first, x] = spec.inputs().front();
  for (const auto& [name, facts] : spec.inputs()) {
    if (facts.present && facts.dtype != x.dtype) {
      return c10::str(name, " is ", dtype_name(facts.dtype), " and ", first, " ", dtype_name(x.dtype),
                      "; the kernel takes one dtype");
    }
  }
  return std::nullopt;
}

}  // namespace opyard::kernels::OPYARD_ISA
