// What a call costs whose shape no cache holds: many shapes in rotation, shapes that never came before, and the memory
// that a million of them leave behind.
#include <ATen/ATen.h>
#include <benchmark/benchmark.h>
#include <call/run_call.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>

namespace opyard {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBatch = 10000;
constexpr int kWidth = 8;

void print(const char* name, double value, const char* unit) {
  std::printf("{\"name\": \"%s\", \"value\": %.2f, \"unit\": \"%s\"}\n", name, value, unit);
}

double resident_mb() {
  std::size_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

/// Calls of one instance with tensors made beforehand; the kernel hands out a ready result.
class Calls {
 public:
  Calls() {
    Implementation stub{.op = "RMSNormFwdOp", .key = "shapes"};
    for (const auto& entry : *Registry::process().implementations(stub.op))
      if (!entry->declared.general) stub.preferred_over.push_back(entry->declared.key);
    stub.entry_for = [this](const CallSpec&) {
      return Entry{"shapes",
                   [this] { return make_kernel([this](KernelCall& call) { call.set_output(0, *result_); }); }};
    };
    handle_ = Registry::process().add_implementation(stub);
    instance_ =
        Instance::make(Registry::process(), "RMSNormFwdOp", {{"normalized_shape", Sequence{kWidth}}, {"eps", 1e-6}});
  }

  /// Shapes [i, batch, 8] for i in 1 to kBatch: those of each batch are unlike all others.
  void prepare(int batch) {
    const std::int64_t most = std::int64_t{kBatch} * (batch + 1) * kWidth;
    if (!source_.defined() || source_.numel() < most) {
      source_ = at::empty({most});
      target_ = at::empty({most});
    }
    inputs_.clear();
    results_.clear();
    for (std::int64_t i = 1; i <= kBatch; ++i) {
      const std::int64_t sizes[] = {i, batch + 1, kWidth}, strides[] = {(batch + 1) * kWidth, kWidth, 1};
      inputs_.push_back(source_.as_strided(sizes, strides));
      results_.push_back(target_.as_strided(sizes, strides));
    }
  }

  /// Nanoseconds a call, once through the prepared shapes.
  double once() {
    const auto start = Clock::now();
    for (int i = 0; i < kBatch; ++i) {
      const at::Tensor* given[] = {&inputs_[static_cast<std::size_t>(i)], nullptr};
      result_ = &results_[static_cast<std::size_t>(i)];
      at::Tensor output;
      run_call(*instance_, given, &output);
      benchmark::DoNotOptimize(output);
    }
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / kBatch;
  }

 private:
  Registration handle_;
  std::shared_ptr<Instance> instance_;
  at::Tensor source_, target_;
  std::vector<at::Tensor> inputs_, results_;
  const at::Tensor* result_ = nullptr;
};

int run() {
  at::NoGradGuard no_grad;
  constexpr int kBatches = 100, kRounds = 10;
  Calls calls;
  double rotating = 1e18, fresh = 1e18;
  calls.prepare(kBatches);  // the largest first: from here on, the tensors themselves need no more memory
  calls.once();
  for (int round = 0; round < kRounds; ++round) rotating = std::min(rotating, calls.once());
  print("call.rotating_ns", rotating, "ns");
  const double before = resident_mb();
  for (int batch = 0; batch < kBatches; ++batch) {
    calls.prepare(batch);
    fresh = std::min(fresh, calls.once());
  }
  print("call.new_shape_ns", fresh, "ns");
  print("memory.rss_growth_mb", resident_mb() - before, "MB");
  return 0;
}

}  // namespace
}  // namespace opyard

int main() { return opyard::run(); }
