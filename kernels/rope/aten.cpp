// Rotations of each head by its row number, and their gradients, which turn back, by aten: any strides, all dtypes.
#include <ATen/OpMathType.h>
#include <rope/frequencies.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

/// `direction` is 1, or -1 to turn back.
void rotate(KernelCall& call, const RowRotation& how, double direction) {
  const at::Tensor& x = call.input(0);
  const at::ScalarType wide = at::toOpMathType(x.scalar_type());
  const bool batched = x.dim() == 4;  // [B, S, H, D]; otherwise [S, D]
  const std::int64_t half = how.width / 2;
  const at::Tensor factors =
      how.factors_input < 0 ? at::Tensor() : call.input(static_cast<std::size_t>(how.factors_input));
  auto [cos, sin] = how.tables(x.size(batched ? 1 : 0), factors);
  const std::vector<std::int64_t> rows =
      batched ? std::vector<std::int64_t>{-1, 1, half} : std::vector<std::int64_t>{-1, half};
  cos = cos.to(x.device(), wide).view(rows);
  sin = (sin * direction).to(x.device(), wide).view(rows);

  const at::Tensor from = x.to(wide);
  const auto part = [&](const at::Tensor& tensor, std::int64_t i) {
    return how.interleaved ? tensor.slice(-1, i, std::nullopt, 2) : tensor.narrow(-1, i * half, half);
  };
  at::Tensor& output = call.output(0);
  part(output, 0).copy_(part(from, 0) * cos - part(from, 1) * sin);
  part(output, 1).copy_(part(from, 1) * cos + part(from, 0) * sin);
}

template <int kDirection>
Entry entry_for(const CallSpec& spec) {
  const RowRotation how = RowRotation::of(spec);
  return {Sequence{identity_of(spec), how.width, how.factors_input}, [how] {
            return make_kernel([how](KernelCall& call) {
              AtenOriginal original;
              rotate(call, how, kDirection);
            });
          }};
}

}  // namespace

std::vector<Implementation> rope_aten() {
  std::vector<Implementation> all;
  const auto add = [&](const char* op, Entry (*entry)(const CallSpec&)) {
    all.push_back({.op = op,
                   .key = "aten",
                   .devices = {c10::DeviceType::CPU, c10::DeviceType::CUDA},
                   .general = true,
                   .entry_for = entry,
                   .expected_us = 20});
  };
  for (const char* op : {"RoPEFwdOp", "RoPELlama31FwdOp", "YaRNFwdOp", "LongRoPEFwdOp"}) {
    add(op, entry_for<1>);
  }
  for (const char* op : {"RoPEBwdOp", "RoPELlama31BwdOp", "YaRNBwdOp"}) {
    add(op, entry_for<-1>);
  }
  return all;
}

}  // namespace opyard::kernels::OPYARD_ISA
