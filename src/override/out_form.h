// Serves the functional and the out= form of an operator with one callable.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>
#include <override/router.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace opyard {

/// Sizes and dtype of an operator's result, known before it runs.
struct ResultFacts {
  c10::SmallVector<std::int64_t, 3> sizes;
  c10::ScalarType dtype = c10::ScalarType::Undefined;
};

/// Whether torch broadcasts sizes `from` to `to`.
bool expands_to(c10::IntArrayRef from, c10::IntArrayRef to);

/// Whether `out` may be written as the result: its dtype, no memory shared with the inputs, no element twice, and the
/// sizes or none at all, which are then set. Where torch warns or raises, it is not: such calls are torch's.
bool prepare_out(const at::Tensor& out, const ResultFacts& facts, const at::Tensor* const* inputs, std::size_t count);

/// Throws ContractError, naming the override, unless `result` is as declared and contiguous.
void check_result(const std::string& name, const at::Tensor& result, const ResultFacts& facts);

/// The signature of the out= form.
template <class... Args>
struct OutForm {
  using Signature = at::Tensor&(Args..., at::Tensor&);
};

/// Registers one callable `bool f(args..., at::Tensor& result)` for both forms; matmul_routes.h has its contract.
/// `result_of(args...)` gives the ResultFacts, or nothing for calls that are left to torch.
template <class... Args, class ResultOf, class F>
OverrideHandle override_both(Router<at::Tensor(Args...)>& functional,
                             Router<typename OutForm<Args...>::Signature>& out_form, std::string name,
                             const Condition& condition, ResultOf result_of, F f) {
  static_assert(std::is_invocable_r_v<bool, const F&, Args..., at::Tensor&>, "f takes the arguments and the result");
  const auto shared = std::make_shared<const F>(std::move(f));

  const auto serve_new = [shared, name, result_of](Args... args) {
    at::Tensor result;
    const std::optional<ResultFacts> facts = result_of(args...);
    if (!facts || !(*shared)(args..., result)) {
      return at::Tensor();
    }
    check_result(name, result, *facts);
    return result;
  };

  const auto serve_out = [shared, name, result_of](Args... args, at::Tensor& out) {
    const std::optional<ResultFacts> facts = result_of(args...);
    const at::Tensor* const inputs[] = {as_tensor(args)...};
    if (!facts || !prepare_out(out, *facts, inputs, sizeof...(Args))) {
      return false;
    }
    at::Tensor result = out.is_contiguous() ? out : at::Tensor();
    if (!(*shared)(args..., result)) {
      return false;
    }
    if (!result.is_same(out)) {
      check_result(name, result, *facts);
      out.copy_(result);
    }
    return true;
  };

  OverrideHandle handle = functional.add_override(name, condition, serve_new);
  handle.merge(out_form.add_override(name, condition, serve_out));
  return handle;
}

}  // namespace opyard
