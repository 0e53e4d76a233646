// The host of elementwise.cuh: an operator is a function's text.
#pragma once

#include <c10/util/StringUtil.h>
#include <lib/cuda/rows.h>
#include <lib/output_buffer.h>
#include <opyard/cuda.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {

/// One operator. `value` is an expression of x, of y where there is a second operand, and of the numbers a and b.
struct ElementwiseFunction {
  const char* op;
  const char* value;
};

struct ElementwiseNumbers {
  float a = 0.0f, b = 0.0f;
};

class ElementwiseKernel final : public Kernel {
 public:
  /// `other`: as kOther in elementwise.cuh.
  ElementwiseKernel(std::string value, int other, c10::Device device, c10::ScalarType dtype, ElementwiseNumbers numbers)
      : other_(other),
        pack_(cuda::kPackBytes / static_cast<std::int64_t>(c10::elementSize(dtype))),
        numbers_(numbers),
        packed_(cuda::load(program(value, other, dtype, true), device)),
        any_(program(value, other, dtype, false), device) {}

  void forward(KernelCall& call) const override {
    OutputBuffer out(call, 0);
    const void* x = call.input(0).const_data_ptr();
    const void* other = other_ == 0 ? nullptr : call.input(1).const_data_ptr();
    void* y = out.data<void>();
    const std::int64_t count = out.tensor().numel();
    const bool aligned =
        count % pack_ == 0 && cuda::aligned(x) && cuda::aligned(y) && (other_ != 2 || cuda::aligned(other));
    std::int64_t units = aligned ? count / pack_ : count;
    ElementwiseNumbers numbers = numbers_;
    void* arguments[] = {&x, &other, &y, &units, &numbers};
    cuda::Launch launch;
    launch.grid[0] = static_cast<std::uint32_t>((units + kThreads - 1) / kThreads);
    launch.block[0] = kThreads;
    (aligned ? *packed_ : any_.get()).launch(launch, arguments);
    out.finish();
  }

 private:
  static constexpr std::int64_t kThreads = 256;

  static cuda::Program program(const std::string& value, int other, c10::ScalarType dtype, bool packed) {
    return {c10::str("#include <lib/cuda/elementwise.cuh>\n#include <lib/cuda/functions.cuh>\nnamespace opyard {\n"
                     "struct Function {\n  float a, b;\n  __device__ float operator()(float x",
                     other == 0 ? "" : ", float y", ") const { return ", value, "; }\n};\n}\n"),
            c10::str("opyard::elementwise<opyard::Function, ", cuda::type_name(dtype), ", ", packed ? "true" : "false",
                     ", ", other, ">")};
  }

  int other_;
  std::int64_t pack_;  // elements
  ElementwiseNumbers numbers_;
  std::shared_ptr<const cuda::Function> packed_;
  cuda::LateFunction any_;
};

/// Serves contiguous tensors of the dtypes whose arithmetic is float32's. `numbers` reads a and b.
inline Implementation elementwise_implementation(ElementwiseFunction function, int operands,
                                                 ElementwiseNumbers (*numbers)(const CallSpec&)) {
  const auto other_of = [operands](const CallSpec& spec) {
    if (operands == 1) {
      return 0;
    }
    return spec.inputs[0].second.sizes == spec.inputs[1].second.sizes ? 2 : 1;
  };
  return {
      .op = function.op,
      .key = "cuda",
      .devices = {c10::DeviceType::CUDA},
      .dtypes = {c10::ScalarType::Float, c10::ScalarType::BFloat16, c10::ScalarType::Half},
      .preferred_over = {"aten"},
      .refusal = [](const CallSpec& spec) -> Refusal {
        const auto& [first, x] = spec.inputs.front();
        for (const auto& [name, facts] : spec.inputs) {
          if (!facts.contiguous) {
            return c10::str(name, " is not contiguous; the kernel reads one run");
          }
          std::int64_t count = 1;
          for (const std::int64_t size : facts.sizes) {
            count *= size;
          }
          if (&facts != &x && facts.sizes != x.sizes && (count != 1 || facts.sizes.size() > x.sizes.size())) {
            return c10::str(name, " and ", first, " differ in shape; the kernel spreads one number at most");
          }
        }
        return std::nullopt;
      },
      .entry_for =
          [=](const CallSpec& spec) {
            const int other = other_of(spec);
            const ElementwiseNumbers read = numbers(spec);
            const c10::ScalarType dtype = spec.inputs.front().second.dtype;
            const c10::Device device = spec.device;
            const std::string value = function.value;
            return Entry{
                Sequence{device, dtype, other, value, static_cast<double>(read.a), static_cast<double>(read.b)},
                [=] { return std::make_shared<const ElementwiseKernel>(value, other, device, dtype, read); }};
          },
  };
}

}  // namespace opyard::kernels::OPYARD_ISA
