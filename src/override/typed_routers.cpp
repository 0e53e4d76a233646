// Leaf operators whose calls reach their conditions without boxing: each has a router of its C++ signature.
#include <override/point_table.h>
#include <override/router.h>

#include <unordered_map>

// Named as at::_ops names them. Signatures that several share are compiled once.
// clang-format off
#define OPYARD_TYPED_OPERATORS(OP) \
    OP(relu) OP(relu_) OP(silu) OP(silu_) OP(silu_out) OP(gelu) OP(gelu_) OP(gelu_out) OP(sigmoid) OP(sigmoid_) \
    OP(sigmoid_out) OP(tanh) OP(tanh_) OP(tanh_out) OP(exp) OP(exp_) OP(exp_out) OP(log) OP(log_) OP(log_out) \
    OP(sqrt) OP(sqrt_) OP(sqrt_out) OP(rsqrt) OP(rsqrt_) OP(rsqrt_out) OP(neg) OP(neg_) OP(neg_out) OP(abs) OP(abs_) \
    OP(abs_out) OP(reciprocal) OP(reciprocal_) OP(reciprocal_out) OP(erf) OP(erf_) OP(erf_out) OP(sin) OP(sin_) \
    OP(sin_out) OP(cos) OP(cos_) OP(cos_out) OP(add_Tensor) OP(add__Tensor) OP(add_out) OP(sub_Tensor) \
    OP(sub__Tensor) OP(sub_out) OP(mul_Tensor) OP(mul__Tensor) OP(mul_out) OP(div_Tensor) OP(div__Tensor) \
    OP(div_out) OP(maximum) OP(maximum_out) OP(minimum) OP(minimum_out) OP(pow_Tensor_Scalar) \
    OP(pow_Tensor_Scalar_out) OP(hardtanh) OP(hardtanh_) OP(hardswish) OP(hardswish_) OP(leaky_relu) OP(leaky_relu_) \
    OP(elu) OP(elu_) OP(softplus) OP(hardsigmoid) OP(hardsigmoid_) OP(mish) OP(mish_) OP(clamp) OP(clamp_) \
    OP(clamp_out) OP(_softmax) OP(_softmax_out) OP(_log_softmax) OP(_log_softmax_out) OP(_softmax_backward_data) \
    OP(_log_softmax_backward_data) OP(native_layer_norm) OP(native_group_norm) OP(native_batch_norm) OP(baddbmm) \
    OP(baddbmm_) OP(baddbmm_out) OP(addmv) OP(dot) OP(mv) OP(sum_dim_IntList) OP(sum_IntList_out) OP(mean_dim) \
    OP(mean_out) OP(amax) OP(amax_out) OP(amin) OP(amin_out) OP(argmax) OP(argmax_out) OP(argmin) OP(argmin_out) \
    OP(max_dim) OP(min_dim) OP(topk) OP(sort_stable) OP(cumsum) OP(cumsum_out) OP(all_dim) OP(any_dim) \
    OP(logical_not) OP(logical_and) OP(eq_Tensor) OP(ne_Tensor) OP(lt_Tensor) OP(le_Tensor) OP(gt_Tensor) \
    OP(ge_Tensor) OP(where_self) OP(index_select) OP(gather) OP(scatter_src) OP(scatter_add) OP(embedding) OP(tril) \
    OP(triu) OP(copy_)
// clang-format on

namespace opyard {
namespace {

using MakeRouter = std::unique_ptr<OverridePoint> (*)(const c10::OperatorName&, c10::DispatchKey);

template <class Signature>
std::unique_ptr<OverridePoint> make_router(const c10::OperatorName& op, c10::DispatchKey key) {
  return std::make_unique<Router<Signature>>(op.name, op.overload_name, key);
}

const std::unordered_map<std::string, MakeRouter>& typed_operators() {
  static const auto& rows = *new std::unordered_map<std::string, MakeRouter>{
#define OPYARD_ROW(op) \
  {toString(c10::OperatorName{at::_ops::op::name, at::_ops::op::overload_name}), make_router<at::_ops::op::schema>},
      OPYARD_TYPED_OPERATORS(OPYARD_ROW)
#undef OPYARD_ROW
  };
  return rows;
}

}  // namespace

std::unique_ptr<OverridePoint> make_typed_router(const c10::OperatorName& op, c10::DispatchKey key) {
  const auto row = typed_operators().find(toString(op));
  return row == typed_operators().end() ? nullptr : row->second(op, key);
}

}  // namespace opyard
