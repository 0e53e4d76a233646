// Reductions, running sums and softmax by aten: any strides, all dtypes.
#include <ATen/ATen.h>
#include <lib/aten_operator.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

struct Reduction {
  std::optional<std::vector<std::int64_t>> dims;  // none: all of them
  bool keepdim = false;
  std::optional<c10::ScalarType> dtype;
  std::optional<c10::Scalar> number;  // a correction, or the order of a norm

  static Reduction of(const CallSpec& spec) {
    Reduction how;
    const Value& dim = spec.param("dim");
    if (const auto* one = dim.get_if<std::int64_t>()) {
      how.dims = {{*one}};
    } else if (!dim.is_none()) {
      how.dims = integers(dim);
    }
    how.keepdim = flag(spec, "keepdim");
    if (const Value* dtype = find_param(spec, "dtype")) {
      how.dtype = optional_dtype(*dtype);
    }
    for (const char* name : {"correction", "ord"}) {
      if (const Value* number = find_param(spec, name)) {
        how.number = optional_scalar(*number);
      }
    }
    return how;
  }

  at::OptionalIntArrayRef optional_dims() const {
    return dims ? at::OptionalIntArrayRef(*dims) : at::OptionalIntArrayRef();
  }
  at::IntArrayRef dims_or_all() const { return dims ? at::IntArrayRef(*dims) : at::IntArrayRef(); }
  std::optional<std::int64_t> optional_dim() const {
    return dims ? std::optional<std::int64_t>(dims->front()) : std::nullopt;
  }
  std::int64_t dim() const { return dims->front(); }
};

void sum(KernelCall& call, const Reduction& how) {
  at::sum_out(call.output(0), call.input(0), how.optional_dims(), how.keepdim, call.output(0).scalar_type());
}

void mean(KernelCall& call, const Reduction& how) {
  at::mean_out(call.output(0), call.input(0), how.optional_dims(), how.keepdim, call.output(0).scalar_type());
}

void amax(KernelCall& call, const Reduction& how) {
  at::amax_out(call.output(0), call.input(0), how.dims_or_all(), how.keepdim);
}

void amin(KernelCall& call, const Reduction& how) {
  at::amin_out(call.output(0), call.input(0), how.dims_or_all(), how.keepdim);
}

/// The input as the dtype that was asked for, then as float32 where that is narrower: aten multiplies in the dtype.
at::Tensor widened(const at::Tensor& input, const Reduction& how) {
  const at::Tensor converted = how.dtype ? input.to(*how.dtype) : input;
  return at::isReducedFloatingType(converted.scalar_type()) ? converted.to(at::kFloat) : converted;
}

void prod(KernelCall& call, const Reduction& how) {
  call.output(0).copy_(at::prod(widened(call.input(0), how), how.dim(), how.keepdim));
}

void logsumexp(KernelCall& call, const Reduction& how) {
  at::logsumexp_out(call.output(0), call.input(0), how.dims_or_all(), how.keepdim);
}

void var(KernelCall& call, const Reduction& how) {
  at::var_out(call.output(0), call.input(0), how.optional_dims(), how.number, how.keepdim);
}

void std_deviation(KernelCall& call, const Reduction& how) {
  at::std_out(call.output(0), call.input(0), how.optional_dims(), how.number, how.keepdim);
}

void var_mean(KernelCall& call, const Reduction& how) {
  auto [var, mean] = at::var_mean(call.input(0), how.optional_dims(), how.number, how.keepdim);
  call.set_output(0, var.contiguous());
  call.set_output(1, mean.contiguous());
}

void argmax(KernelCall& call, const Reduction& how) {
  at::argmax_out(call.output(0), call.input(0), how.optional_dim(), how.keepdim);
}

void argmin(KernelCall& call, const Reduction& how) {
  at::argmin_out(call.output(0), call.input(0), how.optional_dim(), how.keepdim);
}

void all(KernelCall& call, const Reduction& how) {
  at::all_out(call.output(0), call.input(0), how.optional_dims(), how.keepdim);
}

void any(KernelCall& call, const Reduction& how) {
  at::any_out(call.output(0), call.input(0), how.optional_dims(), how.keepdim);
}

void count_nonzero(KernelCall& call, const Reduction& how) {
  call.set_output(0, at::count_nonzero(call.input(0), how.dims_or_all()).contiguous());
}

void vector_norm(KernelCall& call, const Reduction& how) {
  at::linalg_vector_norm_out(call.output(0), call.input(0), *how.number, how.optional_dims(), how.keepdim,
                             call.output(0).scalar_type());
}

void cumsum(KernelCall& call, const Reduction& how) {
  call.output(0).copy_(at::cumsum(widened(call.input(0), how), how.dim()));
}

void cumprod(KernelCall& call, const Reduction& how) {
  call.output(0).copy_(at::cumprod(widened(call.input(0), how), how.dim()));
}

/// torch.nn.functional's choice where none is named.
std::int64_t softmax_dim(const at::Tensor& input, const Reduction& how) {
  const bool first = input.dim() == 0 || input.dim() == 1 || input.dim() == 3;
  return how.dims ? how.dim() : first ? 0 : 1;
}

void softmax(KernelCall& call, const Reduction& how) {
  const at::Tensor& input = call.input(0);
  call.set_output(0, at::softmax(input, softmax_dim(input, how), how.dtype).contiguous());
}

void log_softmax(KernelCall& call, const Reduction& how) {
  const at::Tensor& input = call.input(0);
  call.set_output(0, at::log_softmax(input, softmax_dim(input, how), how.dtype).contiguous());
}

}  // namespace

std::vector<Implementation> reduction_aten() {
  return {
      aten_operator("SumFwdOp", 2, sum),
      aten_operator("MeanFwdOp", 2, mean),
      aten_operator("AmaxFwdOp", 2, amax),
      aten_operator("AminFwdOp", 2, amin),
      aten_operator("ProdFwdOp", 2, prod),
      aten_operator("LogSumExpFwdOp", 4, logsumexp),
      aten_operator("VarFwdOp", 3, var),
      aten_operator("StdFwdOp", 3, std_deviation),
      aten_operator("VarMeanFwdOp", 3, var_mean),
      aten_operator("ArgmaxFwdOp", 2, argmax),
      aten_operator("ArgminFwdOp", 2, argmin),
      aten_operator("AllFwdOp", 2, all),
      aten_operator("AnyFwdOp", 2, any),
      aten_operator("CountNonzeroFwdOp", 4, count_nonzero),
      aten_operator("VectorNormFwdOp", 2, vector_norm),
      aten_operator("CumsumFwdOp", 2, cumsum),
      aten_operator("CumprodFwdOp", 2, cumprod),
      aten_operator("SoftmaxFwdOp", 2, softmax),
      aten_operator("LogSoftmaxFwdOp", 2, log_softmax),
  };
}

}  // namespace opyard::kernels::OPYARD_ISA
