// The gradients of softmax and its logarithm along a dim, from the output y: y * (g - sum(g * y)), and g - e^y *
// sum(g).
#include <lib/backward_operator.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

struct Softmax {
  std::optional<std::int64_t> dim;
  bool logarithm;
  static Softmax of(const CallSpec& spec) {
    const Value& dim = spec.param("dim");
    return {dim.is_none() ? std::nullopt : std::optional(dim.get<std::int64_t>()), flag(spec, "logarithm")};
  }
};

void differentiate(KernelCall& call, const Softmax& how) {
  const at::Tensor gradient = widened(call.input(0)), output = widened(call.input(1));
  // torch.nn.functional's choice where none is named.
  const bool first = output.dim() == 0 || output.dim() == 1 || output.dim() == 3;
  const std::int64_t dim = how.dim.value_or(first ? 0 : 1);
  const at::Tensor result = how.logarithm ? gradient - output.exp() * gradient.sum(dim, /*keepdim=*/true)
                                          : output * (gradient - (gradient * output).sum(dim, /*keepdim=*/true));
  give(call, 0, result, call.input(1).scalar_type());
}

}  // namespace

std::vector<Implementation> reduction_backward() { return {backward_operator("SoftmaxBwdOp", 3, differentiate)}; }

}  // namespace opyard::kernels::OPYARD_ISA
