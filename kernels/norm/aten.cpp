// Normalisations by aten: any strides, all dtypes.
#include <ATen/ATen.h>
#include <ATen/OpMathType.h>
#include <lib/aten_operator.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

std::optional<at::Tensor> optional_input(const KernelCall& call, std::size_t i) {
  return call.has_input(i) ? std::optional<at::Tensor>(call.input(i)) : std::nullopt;
}

/// aten's batch norms read weights and saved statistics as one run, whatever their strides.
std::optional<at::Tensor> optional_run(const KernelCall& call, std::size_t i) {
  return call.has_input(i) ? std::optional<at::Tensor>(call.input(i).contiguous()) : std::nullopt;
}

struct Layer {
  std::vector<std::int64_t> shape;
  double eps;
  static Layer of(const CallSpec& spec) {
    return {integers(spec.param("normalized_shape")), number(spec.param("eps"))};
  }
};

void layer_norm(KernelCall& call, const Layer& how) {
  call.set_output(
      0,
      at::layer_norm(call.input(0), how.shape, optional_input(call, 1), optional_input(call, 2), how.eps).contiguous());
}

struct Epsilon {
  double eps;
  static Epsilon of(const CallSpec& spec) { return {number(spec.param("eps"))}; }
};

/// In float32 below that, so that the norm is of the sum before it is rounded.
at::Tensor wide_sum(const KernelCall& call) {
  const at::Tensor& x = call.input(0);
  const at::ScalarType wide = at::toOpMathType(x.scalar_type());
  return x.to(wide) + call.input(1).to(wide);
}

void fused_add_rms_norm(KernelCall& call, const Epsilon& how) {
  const at::Tensor sum = wide_sum(call);
  const at::Tensor scale = sum.square().mean(-1, /*keepdim=*/true).add_(how.eps).rsqrt_();
  call.output(0).copy_((sum * scale).mul_(call.input(2)));
  call.output(1).copy_(sum);
}

void fused_add_layer_norm(KernelCall& call, const Epsilon& how) {
  const at::Tensor sum = wide_sum(call);
  const at::ScalarType wide = sum.scalar_type();
  call.output(0).copy_(at::layer_norm(sum, {sum.size(-1)}, call.input(2).to(wide), call.input(3).to(wide), how.eps));
  call.output(1).copy_(sum);
}

struct Groups {
  std::int64_t count;
  double eps;
  static Groups of(const CallSpec& spec) {
    return {spec.param("num_groups").get<std::int64_t>(), number(spec.param("eps"))};
  }
};

void group_norm(KernelCall& call, const Groups& how) {
  call.set_output(
      0,
      at::group_norm(call.input(0), how.count, optional_input(call, 1), optional_input(call, 2), how.eps).contiguous());
}

struct Batch {
  bool training;
  double momentum;
  double eps;
  static Batch of(const CallSpec& spec) {
    return {flag(spec, "training"), number(spec.param("momentum")), number(spec.param("eps"))};
  }
};

/// Beside a weight aten keeps statistics and sums in its dtype, whatever the input is: where there is none, float32.
at::Tensor channel_weight(const at::Tensor& input, const std::optional<at::Tensor>& weight) {
  return weight ? *weight : at::ones({input.size(1)}, input.options().dtype(at::kFloat));
}

void batch_norm(KernelCall& call, const Batch& how) {
  const at::Tensor& input = call.input(0);
  auto [output, mean, invstd] =
      at::native_batch_norm(input, channel_weight(input, optional_run(call, 3)), optional_run(call, 4),
                            optional_input(call, 1), optional_input(call, 2), how.training, how.momentum, how.eps);
  call.set_output(0, output.contiguous());
  if (how.training) {
    call.set_output(1, mean.to(at::kFloat));
    call.set_output(2, invstd.to(at::kFloat));
  }
}

/// Contiguous, for there aten's CPU kernel sums in float32; the one for CUDA does so of float32 alone.
void batch_norm_backward(KernelCall& call, const NoParameters&) {
  const at::Tensor& input = call.input(1);
  const auto summable = [](const at::Tensor& tensor) {
    return (tensor.is_cuda() ? tensor.to(at::kFloat) : tensor).contiguous();
  };
  auto [dinput, dweight, dbias] = at::native_batch_norm_backward(
      summable(call.input(0)), summable(input), channel_weight(input, optional_run(call, 4)), std::nullopt,
      std::nullopt, optional_run(call, 2), optional_run(call, 3), /*train=*/true, /*eps=*/0.0, {true, true, true});
  call.set_output(0, dinput.to(input.scalar_type()).contiguous());
  call.set_output(1, dweight.to(at::kFloat));
  call.set_output(2, dbias.to(at::kFloat));
}

}  // namespace

std::vector<Implementation> norm_aten() {
  return {
      aten_operator("LayerNormFwdOp", 3, layer_norm),
      aten_operator("FusedAddRMSNormFwdOp", 10, fused_add_rms_norm),
      aten_operator("FusedAddLayerNormFwdOp", 8, fused_add_layer_norm),
      aten_operator("GroupNormFwdOp", 5, group_norm),
      aten_operator("BatchNormFwdOp", 6, batch_norm),
      aten_operator("BatchNormBwdOp", 8, batch_norm_backward),
  };
}

}  // namespace opyard::kernels::OPYARD_ISA
