// What eight threads that call one instance get done in a second, against one thread in the same run.
#include <ATen/ATen.h>
#include <benchmark/benchmark.h>
#include <call/run_call.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

namespace opyard {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCalls = 200000;

// Calls a second of all threads together. Each has tensors of its own, as a server's requests do.
double throughput(Instance& instance, int threads) {
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&] {
      at::NoGradGuard no_grad;
      const at::Tensor x = at::zeros({8, 4096}, at::kBFloat16), weight = at::zeros({4096}, at::kBFloat16);
      const at::Tensor* inputs[] = {&x, &weight};
      at::Tensor output;
      run_call(instance, inputs, &output);
      ++ready;
      while (!go.load()) std::this_thread::yield();
      for (int i = 0; i < kCalls; ++i) {
        at::Tensor result;
        run_call(instance, inputs, &result);
        benchmark::DoNotOptimize(result);
      }
    });
  while (ready.load() < threads) std::this_thread::yield();
  const auto start = Clock::now();
  go.store(true);
  for (std::thread& thread : all) thread.join();
  return threads * double{kCalls} / std::chrono::duration<double>(Clock::now() - start).count();
}

int run() {
  Implementation stub{.op = "RMSNormFwdOp", .key = "stub"};
  for (const auto& entry : *Registry::process().implementations(stub.op))
    if (!entry->declared.general) stub.preferred_over.push_back(entry->declared.key);
  stub.entry_for = [](const CallSpec&) {
    return Entry{"stub", [] {
                   return make_kernel([](KernelCall& call) {
                     // One a thread: threads that count one tensor's references would measure that.
                     static thread_local const at::Tensor ready = at::zeros({8, 4096}, at::kBFloat16);
                     call.set_output(0, ready);
                   });
                 }};
  };
  const Registration handle = Registry::process().add_implementation(stub);
  const auto op =
      Instance::make(Registry::process(), "RMSNormFwdOp", {{"normalized_shape", Sequence{4096}}, {"eps", 1e-6}});
  double one = 0, eight = 0;
  for (int round = 0; round < 8; ++round) {
    one = std::max(one, throughput(*op, 1));
    eight = std::max(eight, throughput(*op, 8));
  }
  std::printf("{\"name\": \"threads.cpp8_ratio\", \"value\": %.3f, \"unit\": \"x\"}\n", eight / one);
  return 0;
}

}  // namespace
}  // namespace opyard

int main() { return opyard::run(); }
