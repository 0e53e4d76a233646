// d = a b (+ bias) by torch's own mm and addmm: any strides, all dtypes.
#include <ATen/ATen.h>
#include <lib/dtypes.h>
#include <opyard/aten_original.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

void multiply(KernelCall& call, bool trans_a, bool trans_b) {
  AtenOriginal original;
  const at::Tensor a = trans_a ? call.input(0).t() : call.input(0);
  const at::Tensor b = trans_b ? call.input(1).t() : call.input(1);
  const bool biased = call.has_input(2);
  if (!call.has_output(0)) {
    call.set_output(0, biased ? at::addmm(call.input(2), a, b) : at::mm(a, b));
  } else if (biased) {
    at::addmm_out(call.output(0), call.input(2), a, b);
  } else {
    at::mm_out(call.output(0), a, b);
  }
}

Refusal refusal(const CallSpec& spec) {
  for (const char* name : {"a", "b"}) {
    if (spec.input(name).layout != c10::Layout::Strided) {
      return std::string(name) + " is reordered for oneDNN; aten needs a strided tensor";
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Implementation> gemm_aten() {
  return {{
      .op = "GEMMFwdOp",
      .key = "aten",
      .devices = {c10::DeviceType::CPU, c10::DeviceType::CUDA},
      .dtypes = aten_dtypes(),
      .general = true,
      .refusal = refusal,
      .entry_for =
          [](const CallSpec& spec) {
            const bool trans_a = spec.param("trans_a").get<bool>();
            const bool trans_b = spec.param("trans_b").get<bool>();
            return Entry{Sequence{trans_a, trans_b},
                         [=] { return make_kernel([=](KernelCall& call) { multiply(call, trans_a, trans_b); }); }};
          },
      .expected_us = 2,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
