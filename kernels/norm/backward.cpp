// The gradients of normalisations, by their formulas: with n = (x - mean) / deviation and g = gradient * weight,
// dx = (g - mean(g) - n * mean(g * n)) / deviation; a root mean square norm has no mean to take away.
#include <lib/backward_operator.h>

#include <limits>

namespace opyard::kernels::OPYARD_ISA {
namespace {

struct Normalised {
  std::int64_t dims = 1;  // normalised ones, at the end
  std::optional<double> eps;
  bool needs_weight = false;
  bool needs_bias = false;

  static Normalised of(const CallSpec& spec) {
    const Value* shape = find_param(spec, "normalized_shape");
    return {shape == nullptr ? 1 : static_cast<std::int64_t>(shape->get<Sequence>().size()),
            optional_number(spec.param("eps")), flag(spec, "needs_weight"), flag(spec, "needs_bias")};
  }
  /// Where none is given, the least step of the dtype that is computed in.
  double epsilon(at::ScalarType dtype) const {
    if (eps) {
      return *eps;
    }
    return dtype == at::kDouble ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
  }
  std::vector<std::int64_t> inner() const {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 1; i <= dims; ++i) {
      all.push_back(-i);
    }
    return all;
  }
  at::Tensor over_rows(const at::Tensor& tensor) const {
    return tensor.dim() == dims ? tensor.clone() : tensor.flatten(0, tensor.dim() - dims - 1).sum(0);
  }
};

/// The gradient of x, and what its weight's gradient sums.
std::pair<at::Tensor, at::Tensor> root_mean_square(const at::Tensor& gradient, const at::Tensor& x,
                                                   const std::optional<at::Tensor>& weight, const Normalised& how) {
  const std::vector<std::int64_t> inner = how.inner();
  const at::Tensor scale = x.square().mean(inner, /*keepdim=*/true).add_(how.epsilon(x.scalar_type())).rsqrt_();
  const at::Tensor normal = x * scale;
  const at::Tensor g = weight ? gradient * widened(*weight) : gradient;
  const at::Tensor dx = (g - normal * (g * normal).mean(inner, /*keepdim=*/true)) * scale;
  return {dx, gradient * normal};
}

void rms_norm(KernelCall& call, const Normalised& how) {
  const at::ScalarType dtype = call.input(1).scalar_type();
  const auto [dx, scaled] =
      root_mean_square(widened(call.input(0)), widened(call.input(1)), optional_tensor(call, 2), how);
  give(call, 0, dx, dtype);
  if (how.needs_weight && call.has_input(2)) {
    give(call, 1, how.over_rows(scaled), dtype);
  }
}

/// Inputs: the gradients of the norm and of the sum, the sum, the weight.
void fused_add_rms_norm(KernelCall& call, const Normalised& how) {
  const at::ScalarType dtype = call.input(2).scalar_type();
  const auto [dx, scaled] = root_mean_square(widened(call.input(0)), widened(call.input(2)), call.input(3), how);
  give(call, 0, dx + call.input(1), dtype);
  if (how.needs_weight) {
    give(call, 1, how.over_rows(scaled), dtype);
  }
}

/// The gradient of x, and what its weight's gradient sums.
std::pair<at::Tensor, at::Tensor> around_mean(const at::Tensor& gradient, const at::Tensor& x,
                                              const std::optional<at::Tensor>& weight, const Normalised& how) {
  const std::vector<std::int64_t> inner = how.inner();
  const at::Tensor centred = x - x.mean(inner, /*keepdim=*/true);
  const at::Tensor scale = centred.square().mean(inner, /*keepdim=*/true).add_(how.epsilon(x.scalar_type())).rsqrt_();
  const at::Tensor normal = centred * scale;
  const at::Tensor g = weight ? gradient * widened(*weight) : gradient;
  const at::Tensor dx =
      (g - g.mean(inner, /*keepdim=*/true) - normal * (g * normal).mean(inner, /*keepdim=*/true)) * scale;
  return {dx, gradient * normal};
}

void layer_norm(KernelCall& call, const Normalised& how) {
  const at::ScalarType dtype = call.input(1).scalar_type();
  const at::Tensor gradient = widened(call.input(0));
  const auto [dx, scaled] = around_mean(gradient, widened(call.input(1)), optional_tensor(call, 2), how);
  give(call, 0, dx, dtype);
  if (how.needs_weight && call.has_input(2)) {
    give(call, 1, how.over_rows(scaled), dtype);
  }
  if (how.needs_bias) {
    give(call, 2, how.over_rows(gradient), dtype);
  }
}

void fused_add_layer_norm(KernelCall& call, const Normalised& how) {
  const at::ScalarType dtype = call.input(2).scalar_type();
  const at::Tensor gradient = widened(call.input(0));
  const auto [dx, scaled] = around_mean(gradient, widened(call.input(2)), call.input(3), how);
  give(call, 0, dx + call.input(1), dtype);
  if (how.needs_weight) {
    give(call, 1, how.over_rows(scaled), dtype);
  }
  if (how.needs_bias) {
    give(call, 2, how.over_rows(gradient), dtype);
  }
}

}  // namespace

std::vector<Implementation> norm_backward() {
  return {
      backward_operator("RMSNormBwdOp", 10, rms_norm),
      backward_operator("FusedAddRMSNormBwdOp", 10, fused_add_rms_norm),
      backward_operator("LayerNormBwdOp", 10, layer_norm),
      backward_operator("FusedAddLayerNormBwdOp", 10, fused_add_layer_norm),
  };
}

}  // namespace opyard::kernels::OPYARD_ISA
