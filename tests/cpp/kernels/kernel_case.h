// One call of one implementation without the core: a call spec made by hand, refusal, build, forward.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <opyard/implementation.h>
#include <registry/builtin_kernels.h>

namespace opyard::test {

struct KernelCase {
  std::string op;
  std::vector<std::pair<std::string, at::Tensor>> inputs;  // an undefined tensor is absent
  std::vector<NamedValue> params;
  std::string output;
  at::ScalarType dtype;
  std::vector<std::int64_t> sizes;
};

/// 0 baseline, 1 AVX2, 2 AVX-512: what this processor runs.
inline int processor_arch() {
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") ? 2 : avx2 ? 1 : 0;
}

inline std::vector<int> runnable_archs() {
  std::vector<int> archs;
  for (int arch = 0; arch <= processor_arch(); ++arch) {
    archs.push_back(arch);
  }
  return archs;
}

inline std::string arch_name(int arch) { return arch == 2 ? "avx512" : arch == 1 ? "avx2" : "baseline"; }

inline Implementation implementation(const std::string& op, const std::string& key, int arch) {
  std::optional<Implementation> found;
  kernels::for_each_builtin(arch, [&](std::vector<Implementation> declared) {
    for (Implementation& candidate : declared) {
      if (candidate.op == op && candidate.key == key) {
        found = std::move(candidate);
      }
    }
  });
  TORCH_CHECK(found, "no implementation ", op, " ", key);
  return *found;
}

inline TensorFacts facts_of(const at::Tensor& tensor) {
  TensorFacts facts;
  if (!tensor.defined()) {
    return facts;
  }
  facts.present = true;
  facts.dtype = tensor.scalar_type();
  facts.layout = tensor.layout();
  facts.sizes.append(tensor.sizes().begin(), tensor.sizes().end());
  facts.contiguous = tensor.layout() == at::kStrided && tensor.is_contiguous();
  if (tensor.layout() == at::kStrided && !facts.contiguous) {
    facts.strides.append(tensor.strides().begin(), tensor.strides().end());
  }
  return facts;
}

inline CallSpec spec_of(const KernelCase& row, int arch) {
  CallSpec::Tensors inputs;
  for (const auto& [name, tensor] : row.inputs) {
    inputs.emplace_back(name, facts_of(tensor));
  }
  TensorFacts output;
  output.present = true;
  output.dtype = row.dtype;
  output.sizes.append(row.sizes.begin(), row.sizes.end());
  CallSpec spec(row.op, inputs, {{row.output, output}}, row.params);
  spec.arch = arch;
  return spec;
}

inline Refusal refusal_of(const Implementation& candidate, const CallSpec& spec) {
  const at::ScalarType dtype = spec.tensors.front().dtype;
  if (std::find(candidate.dtypes.begin(), candidate.dtypes.end(), dtype) == candidate.dtypes.end()) {
    return "dtype not declared";
  }
  return candidate.refusal ? candidate.refusal(spec) : std::nullopt;
}

/// Runs into `out`, which may be undefined.
inline at::Tensor run(const Implementation& candidate, const KernelCase& row, int arch, at::Tensor out = {}) {
  const CallSpec spec = spec_of(row, arch);
  const auto kernel = candidate.entry_for(spec).build();
  std::vector<const at::Tensor*> inputs;
  for (const auto& [name, tensor] : row.inputs) {
    inputs.push_back(tensor.defined() ? &tensor : nullptr);
  }
  KernelCall call(inputs.data(), &out, spec.outputs().facts().data());
  kernel->forward(call);
  return out;
}

/// How far a result may be from the exact one, relative to the magnitudes that were summed.
inline double tolerance(at::ScalarType dtype) {
  switch (dtype) {
    case at::kBFloat16:
      return 1.0 / 128;
    case at::kHalf:
      return 1.0 / 1024;
    case at::kFloat:
      return 1e-5;
    default:
      return 1e-12;
  }
}

/// `actual` has the dtype, `expected` is in float64. NaN and infinities must be in the same places.
inline void expect_close(const at::Tensor& actual, const at::Tensor& expected, double scale = 1.0) {
  ASSERT_EQ(actual.sizes(), expected.sizes());
  const double limit = tolerance(actual.scalar_type()) * scale;
  const at::Tensor wide = actual.to(at::kDouble);
  EXPECT_TRUE(at::allclose(wide, expected, limit, limit, /*equal_nan=*/true))
      << "largest difference " << (wide - expected).abs().max().item<double>() << ", allowed " << limit;
}

inline void expect_says(const Refusal& refusal, const std::string& part) {
  ASSERT_TRUE(refusal) << "served, expected a refusal with: " << part;
  EXPECT_NE(refusal->find(part), std::string::npos) << *refusal;
}

/// One dtype and instruction set of a test.
using Variant = std::tuple<int, at::ScalarType>;

inline auto variants(const std::vector<at::ScalarType>& dtypes) {
  return testing::Combine(testing::ValuesIn(runnable_archs()), testing::ValuesIn(dtypes));
}

inline std::string variant_name(const testing::TestParamInfo<Variant>& info) {
  return arch_name(std::get<0>(info.param)) + "_" + c10::toString(std::get<1>(info.param));
}

inline at::Tensor random(at::IntArrayRef sizes, at::ScalarType dtype) { return at::randn(sizes).to(dtype); }

}  // namespace opyard::test
