// A server in C++, without Python: the catalogue and a manifest of its own, one operator called from four threads, an
// implementation for the operator that the manifest declares, and one in front of an operator of torch.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <opyard/aten_original.h>
#include <opyard/opyard.h>

#include <array>
#include <atomic>
#include <iostream>
#include <string>
#include <thread>

namespace {

opyard::Implementation add_scaled() {
  opyard::Implementation mine{.op = "AddScaledFwdOp", .key = "two_passes"};
  mine.dtypes = {c10::ScalarType::Float};
  mine.entry_for = [](const opyard::CallSpec& call) {
    const double scale = call.param("scale").get<double>();
    return opyard::Entry{scale, [scale] {  // one kernel for each scale
                           return opyard::make_kernel([scale](opyard::KernelCall& call) {
                             call.set_output(0, at::add(call.input(0), call.input(1), scale));
                           });
                         }};
  };
  return mine;
}

opyard::Override relu_of_matrices(std::atomic<int>& served) {
  opyard::Override mine{.op = "aten::relu", .name = "relu_of_matrices", .when = "self.ndim == 2"};
  mine.serve = [&served](c10::ArrayRef<c10::IValue> arguments, torch::jit::Stack& results) {
    opyard::AtenOriginal original;
    results.emplace_back(at::clamp_min(arguments[0].toTensor(), 0));
    ++served;
    return true;
  };
  return mine;
}

bool right_from_four_threads(const opyard::Op& norm, const at::Tensor& x, const at::Tensor& expected) {
  std::array<bool, 4> right{};
  std::array<std::thread, 4> threads;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    threads[i] = std::thread([&, i] {
      c10::NoGradGuard no_grad;
      right[i] = true;
      for (int call = 0; call < 100; ++call) right[i] = right[i] && at::allclose(norm({x}), expected, 1e-5, 1e-6);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return right[0] && right[1] && right[2] && right[3];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " add_scaled.yaml\n";
    return 2;
  }
  const auto implementation_of = [](const opyard::Op& op) { return op.last_call()->implementation; };
  const at::Tensor x = at::randn({8, 64}), y = at::randn({8, 64});

  // An operator of the catalogue.
  const opyard::Op norm = opyard::make_op("RMSNormFwdOp", {{"normalized_shape", opyard::Sequence{64}}, {"eps", 1e-6}});
  const at::Tensor expected = x * at::rsqrt(x.square().mean(-1, true) + 1e-6);
  if (!right_from_four_threads(norm, x, expected)) return 1;
  std::cout << "RMSNormFwdOp: " << implementation_of(norm) << "\n" << norm.explain({x}) << "\n";

  // One that this program declares and implements.
  for (const std::string& name : opyard::load_manifest(argv[1])) std::cout << "declared: " << name << "\n";
  const opyard::Registration implementation = opyard::register_implementation(add_scaled());
  const opyard::Op add = opyard::make_op("AddScaledFwdOp", {{"scale", 2.0}});
  if (!at::allclose(add({x, y}), x + 2 * y)) return 1;
  std::cout << "AddScaledFwdOp: " << implementation_of(add) << "\n";

  // In front of torch's own operator, until the registration goes.
  std::atomic<int> served{0};
  {
    const opyard::Registration relu = opyard::register_override(relu_of_matrices(served));
    if (!at::equal(at::relu(x), at::clamp_min(x, 0))) return 1;
    if (!at::equal(at::relu(x[0]), at::clamp_min(x[0], 0))) return 1;
  }
  if (!at::equal(at::relu(x), at::clamp_min(x, 0)) || served != 1) return 1;
  std::cout << "aten::relu: served " << served << " call of three\n";
  return 0;
}
