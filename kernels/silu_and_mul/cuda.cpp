// silu(gate) * up of the two halves of each row in CUDA C++.
#include <c10/util/StringUtil.h>
#include <lib/cuda/rows.h>
#include <lib/output_buffer.h>
#include <opyard/cuda.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr std::int64_t kThreads = 256;

class SiluAndMul final : public Kernel {
 public:
  SiluAndMul(c10::Device device, c10::ScalarType dtype)
      : pack_(cuda::kPackBytes / static_cast<std::int64_t>(c10::elementSize(dtype))),
        packed_(cuda::load(program(dtype, true), device)),
        any_(program(dtype, false), device) {}

  void forward(KernelCall& call) const override {
    const cuda::Rows input(call.input(0), call.input(0).size(1));
    OutputBuffer out(call, 0);
    const void* from = input.data();
    void* to = out.data<void>();
    std::int64_t rows = input.rows(), width = call.input(0).size(1) / 2, stride = input.stride();
    const bool aligned = width % pack_ == 0 && input.packs_aligned() && cuda::aligned(to);
    const std::int64_t units = rows * (aligned ? width / pack_ : width);
    void* arguments[] = {&from, &to, &rows, &width, &stride};
    cuda::Launch launch;
    launch.grid[0] = static_cast<std::uint32_t>((units + kThreads - 1) / kThreads);
    launch.block[0] = kThreads;
    (aligned ? *packed_ : any_.get()).launch(launch, arguments);
    out.finish();
  }

 private:
  static cuda::Program program(c10::ScalarType dtype, bool packed) {
    return {"#include <silu_and_mul/gated.cuh>\n",
            c10::str("opyard::silu_and_mul<", cuda::type_name(dtype), ", ", packed ? "true" : "false", ">")};
  }

  std::int64_t pack_;  // elements
  std::shared_ptr<const cuda::Function> packed_;
  cuda::LateFunction any_;
};

}  // namespace

std::vector<Implementation> silu_and_mul_cuda() {
  return {{
      .op = "SiLUAndMulFwdOp",
      .key = "cuda",
      .devices = {c10::DeviceType::CUDA},
      .dtypes = {c10::ScalarType::Float, c10::ScalarType::BFloat16, c10::ScalarType::Half},
      .preferred_over = {"aten"},
      .entry_for =
          [](const CallSpec& spec) {
            const c10::Device device = spec.device;
            const c10::ScalarType dtype = spec.input("input").dtype;
            return Entry{Sequence{device, dtype}, [=] { return std::make_shared<const SiluAndMul>(device, dtype); }};
          },
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
