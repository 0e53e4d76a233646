// Layer norm, and both norms of a sum, in CUDA C++.
#include <lib/cuda/row_kernel.h>
#include <lib/output_buffer.h>
#include <lib/parameters.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

/// Where an operator has its tensors: places among its inputs, -1 for none. The sum is its second output.
struct Places {
  int residual, weight, bias;
};

class Norm final : public Kernel {
 public:
  Norm(const RowCase& what, const Places& places, float eps) : places_(places), eps_(eps), rows_(what) {}

  void forward(KernelCall& call) const override {
    const auto input = [&](int i) { return i >= 0 && call.has_input(i) ? &call.input(i) : nullptr; };
    OutputBuffer y(call, 0);
    std::optional<OutputBuffer> total;
    if (places_.residual >= 0) {
      total.emplace(call, 1);
    }
    rows_.launch({.x = &call.input(0),
                  .residual = input(places_.residual),
                  .weight = input(places_.weight),
                  .bias = input(places_.bias),
                  .y = y.data<void>(),
                  .total = total ? total->data<void>() : nullptr,
                  .eps = eps_});
    y.finish();
    if (total) {
      total->finish();
    }
  }

 private:
  Places places_;
  float eps_;
  RowKernel rows_;
};

std::int64_t columns_of(const CallSpec& spec) {
  const auto& sizes = spec.inputs().front().second.sizes;
  std::size_t dims = 1;
  for (const auto& [name, value] : spec.params()) {
    if (name == "normalized_shape") {
      dims = value.get<Sequence>().size();
    }
  }
  std::int64_t columns = 1;
  for (std::size_t i = sizes.size() - dims; i < sizes.size(); ++i) {
    columns *= sizes[i];
  }
  return columns;
}

Implementation norm(const char* op, const char* function, Places places) {
  return {
      .op = op,
      .key = "cuda",
      .devices = {c10::DeviceType::CUDA},
      .dtypes = {c10::ScalarType::Float, c10::ScalarType::BFloat16, c10::ScalarType::Half},
      .preferred_over = {"aten"},
      .refusal = mixed_dtypes,
      .entry_for =
          [=](const CallSpec& spec) {
            const auto has = [&](int i) { return i >= 0 && spec.inputs()[static_cast<std::size_t>(i)].second.present; };
            const RowCase what = {function,         spec.device,          spec.inputs().front().second.dtype,
                                  columns_of(spec), places.residual >= 0, has(places.weight),
                                  has(places.bias)};
            const float eps = static_cast<float>(number(spec.param("eps")));
            return Entry{Sequence{what.identity(), static_cast<double>(eps)},
                         [=] { return std::make_shared<const Norm>(what, places, eps); }};
          },
  };
}

}  // namespace

std::vector<Implementation> norm_cuda() {
  return {
      norm("LayerNormFwdOp", "LayerNorm", {.residual = -1, .weight = 1, .bias = 2}),
      norm("FusedAddRMSNormFwdOp", "RmsNorm", {.residual = 1, .weight = 2, .bias = -1}),
      norm("FusedAddLayerNormFwdOp", "LayerNorm", {.residual = 1, .weight = 2, .bias = 3}),
  };
}

}  // namespace opyard::kernels::OPYARD_ISA
