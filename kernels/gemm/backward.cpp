// The gradients of matrix products: of d = a b they are gradient b^T and a^T gradient; a transposed matrix has the
// transpose of its own.
#include <lib/backward_operator.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

struct Product {
  bool trans_a, trans_b, needs_a, needs_b, needs_bias;
  static Product of(const CallSpec& spec) {
    return {flag(spec, "trans_a"), flag(spec, "trans_b"), flag(spec, "needs_a"), flag(spec, "needs_b"),
            flag(spec, "needs_bias")};
  }
};

at::Tensor transposed_if(const at::Tensor& matrix, bool transposed) { return transposed ? matrix.t() : matrix; }

void gemm(KernelCall& call, const Product& how) {
  const at::Tensor& gradient = call.input(0);
  const at::Tensor a = transposed_if(call.input(1), how.trans_a), b = transposed_if(call.input(2), how.trans_b);
  const at::ScalarType dtype = gradient.scalar_type();
  if (how.needs_a) {
    give(call, 0, how.trans_a ? at::mm(b, gradient.t()) : at::mm(gradient, b.t()), dtype);
  }
  if (how.needs_b) {
    give(call, 1, how.trans_b ? at::mm(gradient.t(), a) : at::mm(a.t(), gradient), dtype);
  }
  if (how.needs_bias) {
    give(call, 2, widened(gradient).sum(0), dtype);
  }
}

void bmm(KernelCall& call, const Product& how) {
  const at::Tensor& gradient = call.input(0);
  if (how.needs_a) {
    give(call, 0, at::bmm(gradient, call.input(2).transpose(1, 2)), gradient.scalar_type());
  }
  if (how.needs_b) {
    give(call, 1, at::bmm(call.input(1).transpose(1, 2), gradient), gradient.scalar_type());
  }
}

}  // namespace

std::vector<Implementation> gemm_backward() {
  return {backward_operator("GEMMBwdOp", 4, gemm), backward_operator("BMMBwdOp", 4, bmm)};
}

}  // namespace opyard::kernels::OPYARD_ISA
