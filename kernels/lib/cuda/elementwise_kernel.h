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
  /// `other`: as kOther in elementwise.cuh. `packed`: the elements are whole packs.
  ElementwiseKernel(const std::string& value, int other, bool packed, c10::Device device, c10::ScalarType dtype,
                    ElementwiseNumbers numbers)
      : other_(other),
        pack_(packed ? cuda::kPackBytes / static_cast<std::int64_t>(c10::elementSize(dtype)) : 1),
        numbers_(numbers),
        function_(cuda::load(program(value, other, dtype, packed), device)),
        odd_(program(value, other, dtype, false), device) {}

  void forward(KernelCall& call) const override {
    OutputBuffer out(call, 0);
    const void* x = call.input(0).const_data_ptr();
    const void* other = other_ == 0 ? nullptr : call.input(1).const_data_ptr();
    void* y = out.data<void>();
    const std::int64_t count = out.tensor().numel();
    const bool fits = pack_ == 1 || (cuda::aligned(x) && cuda::aligned(y) && (other_ != 2 || cuda::aligned(other)));
    std::int64_t units = fits ? count / pack_ : count;
    ElementwiseNumbers numbers = numbers_;
    void* arguments[] = {&x, &other, &y, &units, &numbers};
    cuda::Launch launch;
    launch.grid[0] = static_cast<std::uint32_t>((units + kThreads - 1) / kThreads);
    launch.block[0] = kThreads;
    (fits ? *function_ : odd_.get()).launch(launch, arguments);
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
  std::int64_t pack_;  // elements that a thread has
  ElementwiseNumbers numbers_;
  std::shared_ptr<const cuda::Function> function_;
  cuda::LateFunction odd_;  // for addresses between packs
};

inline std::int64_t count_of(const TensorFacts& facts) {
  std::int64_t count = 1;
  for (const std::int64_t size : facts.sizes) {
    count *= size;
  }
  return count;
}

inline Refusal elementwise_refusal(const CallSpec& spec) {
  const auto& [first, x] = spec.inputs().front();
  for (const auto& [name, facts] : spec.inputs()) {
    if (!facts.contiguous) {
      return c10::str(name, " is not contiguous; the kernel reads one run");
    }
    if (facts.sizes != x.sizes && (count_of(facts) != 1 || facts.sizes.size() > x.sizes.size())) {
      return c10::str(name, " and ", first, " differ in shape; the kernel spreads one number at most");
    }
  }
  return std::nullopt;
}

/// Serves contiguous tensors of the dtypes whose arithmetic is float32's. `numbers` reads a and b.
inline Implementation elementwise_implementation(ElementwiseFunction function,
                                                 ElementwiseNumbers (*numbers)(const CallSpec&)) {
  return {
      .op = function.op,
      .key = "cuda",
      .devices = {c10::DeviceType::CUDA},
      .dtypes = {c10::ScalarType::Float, c10::ScalarType::BFloat16, c10::ScalarType::Half},
      .preferred_over = {"aten"},
      .refusal = elementwise_refusal,
      .entry_for =
          [=](const CallSpec& spec) {
            const TensorFacts& x = spec.inputs().front().second;
            const int other = spec.inputs().size() == 1 ? 0 : spec.inputs()[1].second.sizes == x.sizes ? 2 : 1;
            const bool packed = cuda::RowLayout::of(count_of(x), x.dtype).packed;
            const ElementwiseNumbers read = numbers(spec);
            const std::string value = function.value;
            return Entry{Sequence{spec.device, x.dtype, other, packed, value, static_cast<double>(read.a),
                                  static_cast<double>(read.b)},
                         [=, device = spec.device, dtype = x.dtype] {
                           return std::make_shared<const ElementwiseKernel>(value, other, packed, device, dtype, read);
                         }};
          },
  };
}

}  // namespace opyard::kernels::OPYARD_ISA
