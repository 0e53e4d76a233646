// Softmax and its logarithm along the last dim in CUDA C++.
#include <lib/aten_operator.h>
#include <lib/cuda/row_kernel.h>
#include <lib/output_buffer.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

class RowSoftmax final : public Kernel {
 public:
  explicit RowSoftmax(const RowCase& what) : rows_(what) {}

  void forward(KernelCall& call) const override {
    OutputBuffer y(call, 0);
    rows_.launch({.x = &call.input(0), .y = y.data<void>()});
    y.finish();
  }

 private:
  RowKernel rows_;
};

std::int64_t columns_of(const CallSpec& spec) {
  const auto& sizes = spec.inputs().front().second.sizes;
  return sizes.empty() ? 1 : sizes.back();
}

Refusal refusal(const CallSpec& spec) {
  const auto& [name, x] = spec.inputs().front();
  const auto dims = static_cast<std::int64_t>(x.sizes.size());
  // torch.nn.functional's choice where none is named.
  const std::int64_t unnamed = dims == 0 || dims == 1 || dims == 3 ? 0 : 1;
  const Value& named = spec.param("dim");
  const std::int64_t dim = named.is_none() ? unnamed : named.get<std::int64_t>();
  if (dims > 1 && dim != -1 && dim != dims - 1) {
    return c10::str("dim ", dim, " of ", dims, "; the kernel takes the last one");
  }
  const auto dtype = optional_dtype(spec.param("dtype"));
  if (dtype && *dtype != x.dtype) {
    return c10::str(name, " is ", dtype_name(x.dtype), " and the result ", dtype_name(*dtype),
                    "; the kernel takes one dtype");
  }
  return std::nullopt;
}

Implementation softmax(const char* op, const char* function) {
  return {
      .op = op,
      .key = "cuda",
      .devices = {c10::DeviceType::CUDA},
      .dtypes = {c10::ScalarType::Float, c10::ScalarType::BFloat16, c10::ScalarType::Half},
      .preferred_over = {"aten"},
      .refusal = refusal,
      .entry_for =
          [function](const CallSpec& spec) {
            const RowCase what = {function, spec.device, spec.inputs().front().second.dtype, columns_of(spec)};
            return Entry{what.identity(), [what] { return std::make_shared<const RowSoftmax>(what); }};
          },
  };
}

}  // namespace

std::vector<Implementation> reduction_cuda_softmax() {
  return {softmax("SoftmaxFwdOp", "Softmax"), softmax("LogSoftmaxFwdOp", "LogSoftmax")};
}

}  // namespace opyard::kernels::OPYARD_ISA
