// An author in C++: an implementation of a declared operator, and a target that serves one as a whole. No Python.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <opyard/opyard.h>

#include <iostream>

namespace {

// Limits are data where the runtime can check them, and a sentence where it cannot.
opyard::Implementation twice_as_wide() {
  opyard::Implementation mine{.op = "SiLUAndMulFwdOp", .key = "mine"};
  mine.dtypes = {c10::ScalarType::Float};
  mine.preferred_over = {"vec"};
  mine.refusal = [](const opyard::CallSpec& call) -> opyard::Refusal {
    if (call.input("input").sizes[0] >= 2) return std::nullopt;
    return "is for two rows or more";
  };
  mine.entry_for = [](const opyard::CallSpec& call) {
    const std::int64_t columns = call.output("output").sizes.back();
    return opyard::Entry{columns, [columns] {  // one kernel for each number of columns
                           return opyard::make_kernel([columns](opyard::KernelCall& call) {
                             const at::Tensor& x = call.input(0);
                             call.set_output(0, at::silu(x.slice(1, 0, columns)) * x.slice(1, columns));
                           });
                         }};
  };
  return mine;
}

}  // namespace

int main() {
  const auto implementation = opyard::register_implementation(twice_as_wide());
  const auto builder = opyard::register_kernel_builder("RMSNormFwdOp", "acme", [](const opyard::CallSpec&) {
    return opyard::make_kernel([](opyard::KernelCall& call) { call.output(0).copy_(call.input(0)); });
  });

  const opyard::Op gate = opyard::make_op("SiLUAndMulFwdOp");
  const at::Tensor x = at::randn({3, 8});
  if (!at::allclose(gate({x}), at::silu(x.slice(1, 0, 4)) * x.slice(1, 4))) return 1;
  std::cout << "served by " << gate.last_call()->implementation << "\n" << gate.explain(x.slice(0, 0, 1));

  const opyard::Op norm = opyard::make_op("RMSNormFwdOp", {{"normalized_shape", opyard::Sequence{8}}}, "acme");
  if (!at::equal(norm({x}), x)) return 1;
  std::cout << "served by " << norm.last_call()->implementation << "\n";
  return 0;
}
