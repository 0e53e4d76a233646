// The routers in front of aten's matrix products on CPU, and overrides that cover all forms of one of them.
// mm, addmm and bmm with their out= forms are covered; addmm_, baddbmm and the overloads with an out_dtype are not.
#pragma once

#include <override/out_form.h>
#include <override/router.h>

#include <string>
#include <utility>

namespace opyard {

using BinaryProduct = at::Tensor(const at::Tensor&, const at::Tensor&);
using BinaryProductOut = at::Tensor&(const at::Tensor&, const at::Tensor&, at::Tensor&);
using AddedProduct = at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Scalar&,
                                const at::Scalar&);
using AddedProductOut = at::Tensor&(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Scalar&,
                                    const at::Scalar&, at::Tensor&);

struct MatmulRouters {
  MatmulRouters();
  Router<BinaryProduct> mm, bmm;
  Router<BinaryProductOut> mm_out, bmm_out;
  Router<AddedProduct> addmm;
  Router<AddedProductOut> addmm_out;

  std::vector<OverridePoint*> points();
  void install();    // again after uninstall, too
  void uninstall();  // Router::uninstall
};

/// Installed by the first call, which may come from any thread, and kept.
MatmulRouters& matmul_routers();

/// matmul_routers, when the operator at the key is one of theirs.
void make_matmul_routers(const c10::OperatorName& op, c10::DispatchKey key);

/// What a product makes when its arguments fit: sizes and dtype as torch's kernel makes them. Nothing where torch's
/// kernel raises, so that its errors stay, and for tensors that are lazily conjugated: both are torch's to serve.
/// Devices are the dispatcher's matter.
std::optional<ResultFacts> mm_result(const at::Tensor& self, const at::Tensor& mat2);
std::optional<ResultFacts> bmm_result(const at::Tensor& self, const at::Tensor& mat2);
std::optional<ResultFacts> addmm_result(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2);

/// One callable serves both forms: `bool f(self, mat2, at::Tensor& result)`, for addmm
/// `bool f(self, mat1, mat2, beta, alpha, at::Tensor& result)`. It sees only calls whose arguments fit and, like an
/// aten kernel, may be called by many threads at once. `result` is undefined, or the caller's buffer: contiguous, with
/// the result's sizes and dtype, sharing no memory with the inputs. f gives true after it wrote into the buffer or set
/// `result` to a new contiguous tensor; false declines, and then it wrote nothing. It may get products without
/// elements, or with an inner size of 0. The condition's argument names are the schema's.
template <class F>
OverrideHandle override_mm(std::string name, const Condition& condition, F f) {
  return override_both(matmul_routers().mm, matmul_routers().mm_out, std::move(name), condition, mm_result,
                       std::move(f));
}

template <class F>
OverrideHandle override_bmm(std::string name, const Condition& condition, F f) {
  return override_both(matmul_routers().bmm, matmul_routers().bmm_out, std::move(name), condition, bmm_result,
                       std::move(f));
}

template <class F>
OverrideHandle override_addmm(std::string name, const Condition& condition, F f) {
  const auto result = [](const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2, const at::Scalar&,
                         const at::Scalar&) { return addmm_result(self, mat1, mat2); };
  return override_both(matmul_routers().addmm, matmul_routers().addmm_out, std::move(name), condition, result,
                       std::move(f));
}

}  // namespace opyard
