// What the runtime itself costs a call from C++: a kernel that hands out a ready tensor.
#include <ATen/ATen.h>
#include <benchmark/benchmark.h>
#include <call/run_call.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace opyard {
namespace {

using Clock = std::chrono::steady_clock;

// The least of several rounds: what the code costs when nothing else runs.
template <class F>
double least_ns(F call, int repeats, int rounds = 20) {
  double best = 1e18;
  for (int r = 0; r < rounds; ++r) {
    const auto start = Clock::now();
    for (int i = 0; i < repeats; ++i) call(i);
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count() / repeats);
  }
  return best;
}

void print(const char* name, double value) {
  std::printf("{\"name\": \"%s\", \"value\": %.2f, \"unit\": \"ns\"}\n", name, value);
}

int run() {
  at::NoGradGuard no_grad;
  const at::Tensor ready = at::zeros({8, 4096}, at::kBFloat16);
  Registry& registry = Registry::process();
  Implementation stub{.op = "RMSNormFwdOp", .key = "stub"};
  for (const auto& entry : *registry.implementations(stub.op))
    if (!entry->declared.general) stub.preferred_over.push_back(entry->declared.key);
  stub.entry_for = [ready](const CallSpec&) {
    return Entry{"stub", [ready] { return make_kernel([ready](KernelCall& call) { call.set_output(0, ready); }); }};
  };
  const Registration handle = registry.add_implementation(stub);
  const auto op = Instance::make(registry, "RMSNormFwdOp", {{"normalized_shape", Sequence{4096}}, {"eps", 1e-6}});

  const at::Tensor x = at::zeros({8, 4096}, at::kBFloat16), weight = at::zeros({4096}, at::kBFloat16);
  const at::Tensor* inputs[] = {&x, &weight};
  print("call.cpp.stub_ns", least_ns(
                                [&](int) {
                                  at::Tensor output;
                                  run_call(*op, inputs, &output);
                                  benchmark::DoNotOptimize(output);
                                },
                                200000));

  print("call.check_ns",
        least_ns([&](int) { benchmark::DoNotOptimize(op->signature().check(op->spec().construction(), inputs)); },
                 20000));
  return 0;
}

}  // namespace
}  // namespace opyard

int main() { return opyard::run(); }
