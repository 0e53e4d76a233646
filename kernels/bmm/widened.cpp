// d = a b for each matrix of a float16 batch, computed in float32: torch's own float16 product is not vectorised.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>
#include <opyard/aten_original.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr std::int64_t kCopiedBytes = std::int64_t{256} << 20;

void multiply(KernelCall& call) {
  AtenOriginal original;
  const at::Tensor wide = at::bmm(call.input(0).to(at::kFloat), call.input(1).to(at::kFloat));
  call.set_output(0, wide.to(at::kHalf));
}

std::int64_t elements(const TensorFacts& facts) { return facts.sizes[0] * facts.sizes[1] * facts.sizes[2]; }

Refusal refusal(const CallSpec& spec) {
  const std::int64_t copied = 4 * (elements(spec.input("a")) + elements(spec.input("b")));
  if (copied > kCopiedBytes) {
    return c10::str("the float32 copies of a and b take ", copied >> 20, " MiB; this implementation makes up to ",
                    kCopiedBytes >> 20);
  }
  return std::nullopt;
}

}  // namespace

std::vector<Implementation> bmm_widened() {
  return {{
      .op = "BMMFwdOp",
      .key = "widened",
      .dtypes = {c10::ScalarType::Half},
      .preferred_over = {"aten"},
      .refusal = refusal,
      .entry_for =
          [](const CallSpec&) {
            return Entry{Value(), [] { return make_kernel(multiply); }};
          },
      .expected_us = 5,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
