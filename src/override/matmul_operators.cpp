#include <call/run_call.h>
#include <override/boxed_override.h>
#include <override/boxed_server.h>
#include <override/form.h>
#include <override/matmul_operators.h>
#include <override/matmul_routes.h>
#include <override/point_table.h>
#include <override/route_switch.h>
#include <registry/registry.h>

namespace opyard {
namespace {

constexpr const char* kName = "opyard";

// float64 stays with torch: nothing here is ahead of its BLAS there.
Condition served_dtypes(std::string argument) {
  Condition condition;
  condition.tensors.push_back(
      {.argument = std::move(argument), .dtypes = {at::kFloat, at::kBFloat16, at::kHalf}, .min_elements = 1});
  return condition;
}

// Written as aten writes them: b is [K, N]; a transposed weight arrives as a view with strides (1, K).
std::shared_ptr<Instance> make_gemm() {
  return Instance::make(Registry::process(), "GEMMFwdOp", {{"trans_a", false}, {"trans_b", false}});
}

bool run_gemm(Instance& gemm, const at::Tensor& a, const at::Tensor& b, const at::Tensor* bias, at::Tensor& out) {
  const at::Tensor* inputs[] = {&a, &b, bias};
  return run_call_in_front(gemm, inputs, &out);
}

// addmm adds its `self` with weight beta: a bias row with beta and alpha of one is the GEMM's bias.
bool is_bias(const at::Tensor& self, const at::Tensor& mat2, const at::Scalar& beta, const at::Scalar& alpha) {
  return self.dim() == 1 && self.size(0) == mat2.size(1) && beta.equal(1) && alpha.equal(1);
}

// With a beta of zero torch does not read `self`, be it NaN.
bool is_product_alone(const at::Scalar& beta, const at::Scalar& alpha) { return beta.equal(0) && alpha.equal(1); }

OverrideHandle install_mm(std::size_t number) {
  return override_mm(kName, served_dtypes("self"),
                     [number, gemm = make_gemm()](const at::Tensor& a, const at::Tensor& b, at::Tensor& out) {
                       return route_is_on(number) && run_gemm(*gemm, a, b, nullptr, out);
                     });
}

// addmm_ in the way of a functional addmm whose result is copied: only a product alone can be served.
OverrideHandle install_addmm_in_place(std::size_t number, std::shared_ptr<Instance> gemm) {
  const auto serve = [number, gemm = std::move(gemm)](const c10::OperatorHandle&, c10::ArrayRef<c10::IValue> arguments,
                                                      torch::jit::Stack& results) {
    const at::Tensor &self = arguments[0].toTensor(), &a = arguments[1].toTensor(), &b = arguments[2].toTensor();
    at::Tensor product;
    if (!route_is_on(number) || !is_product_alone(arguments[3].toScalar(), arguments[4].toScalar()) ||
        !addmm_result(self, a, b) || !run_gemm(*gemm, a, b, nullptr, product)) {
      return false;
    }
    results.emplace_back(std::move(product));
    return true;
  };
  OverridePoint& point = point_at("aten::addmm_", "", "CPU");
  const auto functional = c10::Dispatcher::singleton().findSchemaOrThrow("aten::addmm", "");
  return point.add_boxed(kName, ConditionProgram(served_dtypes("mat1"), point.op().schema()),
                         serve_form(Form::kInPlace, functional,
                                    std::make_shared<const BoxedFunctions>(kName, BoxedFunctions::Predicate{}, serve)));
}

OverrideHandle install_addmm(std::size_t number) {
  const std::shared_ptr<Instance> gemm = make_gemm();
  OverrideHandle handle =
      override_addmm(kName, served_dtypes("mat1"),
                     [number, gemm](const at::Tensor& self, const at::Tensor& a, const at::Tensor& b,
                                    const at::Scalar& beta, const at::Scalar& alpha, at::Tensor& out) {
                       if (!route_is_on(number)) return false;
                       if (is_bias(self, b, beta, alpha)) return run_gemm(*gemm, a, b, &self, out);
                       return is_product_alone(beta, alpha) && run_gemm(*gemm, a, b, nullptr, out);
                     });
  handle.merge(install_addmm_in_place(number, gemm));
  return handle;
}

OverrideHandle install_bmm(std::size_t number) {
  return override_bmm(kName, served_dtypes("self"),
                      [number, bmm = Instance::make(Registry::process(), "BMMFwdOp", {})](
                          const at::Tensor& a, const at::Tensor& b, at::Tensor& out) {
                        if (!route_is_on(number)) return false;
                        const at::Tensor* inputs[] = {&a, &b};
                        return run_call_in_front(*bmm, inputs, &out);
                      });
}

// baddbmm in all forms, over boxed arguments: as with addmm_, only a product alone can be served.
OverrideHandle install_baddbmm(std::size_t number) {
  const auto serve = [number, bmm = Instance::make(Registry::process(), "BMMFwdOp", {})](
                         const c10::OperatorHandle&, c10::ArrayRef<c10::IValue> arguments, torch::jit::Stack& results) {
    const at::Tensor &self = arguments[0].toTensor(), &a = arguments[1].toTensor(), &b = arguments[2].toTensor();
    const at::Tensor* inputs[] = {&a, &b};
    at::Tensor product;
    const auto facts = bmm_result(a, b);
    if (!route_is_on(number) || !is_product_alone(arguments[3].toScalar(), arguments[4].toScalar()) || !facts ||
        self.scalar_type() != facts->dtype || !expands_to(self.sizes(), facts->sizes) ||
        !run_call_in_front(*bmm, inputs, &product)) {
      return false;
    }
    results.emplace_back(std::move(product));
    return true;
  };
  return override_boxed({"aten::baddbmm", "", "CPU", kName, served_dtypes("batch1")},
                        std::make_shared<const BoxedFunctions>(kName, BoxedFunctions::Predicate{}, serve));
}

struct TypedRoute {
  const char* op;
  const char* aten;
  OverrideHandle (*install)(std::size_t number);
};
constexpr TypedRoute kTypedRoutes[] = {{"GEMMFwdOp", "aten::mm", install_mm},
                                       {"GEMMFwdOp", "aten::addmm", install_addmm},
                                       {"BMMFwdOp", "aten::bmm", install_bmm},
                                       {"BMMFwdOp", "aten::baddbmm", install_baddbmm}};

}  // namespace

std::function<OverrideHandle(std::size_t)> matmul_installer(const std::string& op, const std::string& aten,
                                                            const std::string& key) {
  for (const TypedRoute& route : kTypedRoutes) {
    if (route.op == op && route.aten == aten && key == "CPU") {
      return route.install;
    }
  }
  return {};
}

}  // namespace opyard
