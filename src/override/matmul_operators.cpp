#include <call/run_call.h>
#include <opyard/error.h>
#include <override/matmul_operators.h>
#include <override/matmul_routes.h>
#include <registry/fork_lock.h>
#include <registry/registry.h>

#include <array>
#include <mutex>

namespace opyard {
namespace {

// float64 stays with torch: nothing here is ahead of its BLAS there.
Condition served_dtypes(std::string argument) {
  Condition condition;
  condition.tensors.push_back(
      {.argument = std::move(argument), .dtypes = {at::kFloat, at::kBFloat16, at::kHalf}, .min_elements = 1});
  return condition;
}

// addmm adds its `self` with weight beta: a bias row with beta and alpha of one is the GEMM's bias.
bool is_bias(const at::Tensor& self, const at::Tensor& mat2, const at::Scalar& beta, const at::Scalar& alpha) {
  return self.dim() == 1 && self.size(0) == mat2.size(1) && beta.equal(1) && alpha.equal(1);
}

struct Routes {
  // Written as aten writes them: b is [K, N]; a transposed weight arrives as a view with strides (1, K).
  std::shared_ptr<Instance> gemm =
      Instance::make(Registry::process(), "GEMMFwdOp", {{"trans_a", false}, {"trans_b", false}});
  std::shared_ptr<Instance> bmm = Instance::make(Registry::process(), "BMMFwdOp", {});
  std::array<OverrideHandle, 3> handles;
  std::array<OverrideCounts, 3> before;  // what handles counted that are gone
  int users = 0;
};

// Leaked with what it holds: the routers call into it for as long as the process lives.
Routes& routes() {
  static auto& instance = *new Routes;
  return instance;
}

void turn_on(Routes& r) {
  r.handles[0] =
      override_mm("opyard", served_dtypes("self"), [&r](const at::Tensor& a, const at::Tensor& b, at::Tensor& out) {
        const at::Tensor* inputs[] = {&a, &b, nullptr};
        return run_call_in_front(*r.gemm, inputs, &out);
      });
  r.handles[1] = override_addmm("opyard", served_dtypes("mat1"),
                                [&r](const at::Tensor& bias, const at::Tensor& a, const at::Tensor& b,
                                     const at::Scalar& beta, const at::Scalar& alpha, at::Tensor& out) {
                                  if (!is_bias(bias, b, beta, alpha)) return false;
                                  const at::Tensor* inputs[] = {&a, &b, &bias};
                                  return run_call_in_front(*r.gemm, inputs, &out);
                                });
  r.handles[2] =
      override_bmm("opyard", served_dtypes("self"), [&r](const at::Tensor& a, const at::Tensor& b, at::Tensor& out) {
        const at::Tensor* inputs[] = {&a, &b};
        return run_call_in_front(*r.bmm, inputs, &out);
      });
}

constexpr const char* kNames[] = {"aten::mm", "aten::addmm", "aten::bmm"};
constexpr const char* kOperators[] = {"GEMMFwdOp", "GEMMFwdOp", "BMMFwdOp"};

}  // namespace

void route_matmul(bool on) {
  std::lock_guard guard(lock_of(LockRank::kRoutes));
  Routes& r = routes();
  if (on) {
    if (r.users == 0) turn_on(r);
    ++r.users;
  } else if (r.users > 0 && --r.users == 0) {
    for (std::size_t i = 0; i < r.handles.size(); ++i) {
      const OverrideCounts counted = r.handles[i].counts();
      r.before[i].hits += counted.hits;
      r.before[i].falls += counted.falls;
      r.handles[i].remove();
    }
  }
}

std::vector<RouteCount> matmul_route_counts() {
  std::lock_guard guard(lock_of(LockRank::kRoutes));
  std::vector<RouteCount> counts;
  for (std::size_t i = 0; i < 3; ++i) {
    const OverrideCounts now = routes().handles[i].counts();
    const OverrideCounts& before = routes().before[i];
    counts.push_back({kNames[i], kOperators[i], before.hits + now.hits, before.falls + now.falls});
  }
  return counts;
}

}  // namespace opyard
