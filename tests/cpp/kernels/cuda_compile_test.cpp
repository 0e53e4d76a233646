// Every CUDA implementation compiles for every architecture that is served; no device is needed.
#include <build/nvrtc.h>
#include <kernels/kernel_case.h>
#include <opyard/cuda.h>
#include <opyard/error.h>

namespace opyard::test {
namespace {

struct Row {
  const char* op;
  std::vector<std::int64_t> columns;
  KernelCase (*make)(std::int64_t columns, at::ScalarType dtype);
};

KernelCase rms_norm(std::int64_t columns, at::ScalarType dtype) {
  return {"RMSNormFwdOp",
          {{"x", at::ones({3, columns}, dtype)}, {"weight", at::ones({columns}, dtype)}},
          {{"normalized_shape", Sequence{columns}}, {"eps", 1e-6}},
          "output",
          dtype,
          {3, columns}};
}

KernelCase silu_and_mul(std::int64_t columns, at::ScalarType dtype) {
  return {"SiLUAndMulFwdOp", {{"input", at::ones({3, 2 * columns}, dtype)}}, {}, "output", dtype, {3, columns}};
}

KernelCase layer_norm(std::int64_t columns, at::ScalarType dtype) {
  return {"LayerNormFwdOp",
          {{"input", at::ones({3, columns}, dtype)},
           {"weight", at::ones({columns}, dtype)},
           {"bias", at::ones({columns}, dtype)}},
          {{"normalized_shape", Sequence{columns}}, {"eps", 1e-6}},
          "output",
          dtype,
          {3, columns}};
}

KernelCase fused_add(const char* op, std::int64_t columns, at::ScalarType dtype) {
  return {op,
          {{"input", at::ones({3, columns}, dtype)},
           {"residual", at::ones({3, columns}, dtype)},
           {"weight", at::ones({columns}, dtype)},
           {"bias", std::string(op) == "FusedAddLayerNormFwdOp" ? at::ones({columns}, dtype) : at::Tensor()}},
          {{"eps", 1e-6}},
          "output",
          dtype,
          {3, columns}};
}

KernelCase fused_add_rms_norm(std::int64_t columns, at::ScalarType dtype) {
  return fused_add("FusedAddRMSNormFwdOp", columns, dtype);
}

KernelCase fused_add_layer_norm(std::int64_t columns, at::ScalarType dtype) {
  return fused_add("FusedAddLayerNormFwdOp", columns, dtype);
}

KernelCase softmax(std::int64_t columns, at::ScalarType dtype) {
  return {"SoftmaxFwdOp", {{"x", at::ones({3, columns}, dtype)}}, {{"dim", -1}, {"dtype", Value()}}, "output", dtype,
          {3, columns}};
}

class CudaCompile : public testing::TestWithParam<const char*> {};

TEST_P(CudaCompile, every_implementation_and_dtype) {
  ASSERT_EQ(cuda::nvrtc_missing(), std::nullopt);
  const cuda::CompileOnly scope(GetParam());
  const std::vector<std::int64_t> widths = {128, 129, 4096, 262144};
  const Row rows[] = {
      {"RMSNormFwdOp", widths, rms_norm},
      {"LayerNormFwdOp", widths, layer_norm},
      {"FusedAddRMSNormFwdOp", widths, fused_add_rms_norm},
      {"FusedAddLayerNormFwdOp", {4096}, fused_add_layer_norm},
      {"SoftmaxFwdOp", widths, softmax},
      {"LogSoftmaxFwdOp", widths, softmax},
      {"SiLUAndMulFwdOp", {64}, silu_and_mul},
  };
  for (const Row& row : rows) {
    const Implementation candidate = implementation(row.op, "cuda", 0);
    for (const at::ScalarType dtype : candidate.dtypes) {
      for (const std::int64_t columns : row.columns) {
        CallSpec spec = spec_of(row.make(columns, dtype), 0);
        spec.device = c10::Device(c10::DeviceType::CUDA, 0);
        EXPECT_NE(candidate.entry_for(spec).build(), nullptr) << row.op << " " << dtype_name(dtype) << " " << columns;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, CudaCompile, testing::Values("sm_80", "sm_90a", "sm_100a"),
                         [](const auto& info) { return std::string(info.param); });

TEST(CudaProgram, a_fault_in_the_source_is_an_error_that_keeps_the_compilers_output) {
  ASSERT_EQ(cuda::nvrtc_missing(), std::nullopt);
  try {
    cuda::nvrtc_compile({"__global__ void k() { undeclared(); }", "k"}, "sm_90a");
    FAIL() << "compiled";
  } catch (const BuildError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("undeclared"), std::string::npos) << text;
    const std::size_t at = text.find("opyard-build-");
    ASSERT_NE(at, std::string::npos) << text;
  }
}

}  // namespace
}  // namespace opyard::test
