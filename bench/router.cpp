// What routers add to a call: the typed one of aten::mm on 2 x 2 tensors, the boxed one of aten::atan2 on two elements.
// Prints one JSON object a figure.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>
#include <override/boxed_override.h>
#include <override/matmul_routes.h>
#include <override/point_table.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr int kRepetitions = 41;

struct Tensors {
  at::Tensor a = at::ones({2, 2});
  at::Tensor b = at::ones({2, 2});
  at::Tensor ready = at::full({2, 2}, 2.0);
};

const Tensors& tensors() {
  static const Tensors* const made = new Tensors;
  return *made;
}

// A miss as in use: the dtype fits, a size does not.
opyard::Condition too_large() {
  return {
      {{.argument = "self", .dtypes = {at::kFloat, at::kBFloat16}, .ranks = {2}, .sizes = {{.dim = 0, .min = 64}}}}};
}

opyard::Condition small() {
  return {
      {{.argument = "self", .dtypes = {at::kFloat, at::kBFloat16}, .ranks = {2}, .sizes = {{.dim = 0, .max = 64}}}}};
}

at::Tensor give_ready(const at::Tensor&, const at::Tensor&) { return tensors().ready; }

using Handles = std::vector<opyard::OverrideHandle>;

Handles nothing() { return {}; }

Handles misses(int count) {
  Handles handles;
  for (int i = 0; i < count; ++i) {
    handles.push_back(opyard::matmul_routers().mm.add_override("miss", too_large(), give_ready));
  }
  return handles;
}

Handles hit() {
  Handles handles;
  handles.push_back(opyard::matmul_routers().mm.add_override("hit", small(), give_ready));
  return handles;
}

Handles hit_both_forms() {
  Handles handles;
  handles.push_back(opyard::override_mm("hit", small(), [](const at::Tensor&, const at::Tensor&, at::Tensor& result) {
    result = tensors().ready;
    return true;
  }));
  return handles;
}

// What an implementation would cost without a router: torch's table calls it at once.
std::unique_ptr<torch::Library> ready_kernel() {
  return opyard::install_kernel(opyard::matmul_routers().mm.op(), c10::DispatchKey::CPU,
                                torch::CppFunction(give_ready));
}

Handles boxed(int count, const opyard::Condition& condition) {
  const auto server = std::make_shared<const opyard::BoxedFunctions>(
      "boxed", nullptr, [](const c10::OperatorHandle&, c10::ArrayRef<c10::IValue>, torch::jit::Stack& results) {
        results.emplace_back(tensors().ready);
        return true;
      });
  Handles handles;
  for (int i = 0; i < count; ++i) {
    handles.push_back(opyard::override_boxed({"aten::atan2", "", "CPU", "boxed", condition, "", false}, server));
  }
  return handles;
}

void call_atan2(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(at::atan2(tensors().a, tensors().b));
  }
}

void add_boxed_case(const std::string& name, std::function<Handles()> setting, bool installed = true) {
  benchmark::RegisterBenchmark(name.c_str(), [setting, installed](benchmark::State& state) {
    const Handles handles = setting();
    opyard::OverridePoint& point = opyard::point_at("aten::atan2", "", "CPU");
    installed ? point.install() : point.uninstall();
    call_atan2(state);
  })->Repetitions(kRepetitions);
}

void call_mm(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(at::mm(tensors().a, tensors().b));
  }
}

void add_case(const std::string& name, std::function<Handles()> setting, bool installed = true) {
  benchmark::RegisterBenchmark(name.c_str(), [setting, installed](benchmark::State& state) {
    if (installed) {
      opyard::matmul_routers().install();
    } else {
      opyard::matmul_routers().uninstall();
    }
    Handles handles = setting();
    call_mm(state);
  })->Repetitions(kRepetitions);
}

// Collects the repetitions, which run in random order so that a busy machine disturbs all settings alike.
class Collect final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Iteration) {
        times[run.run_name.function_name].push_back(run.GetAdjustedCPUTime());
      }
    }
  }

  double least(const std::string& name) { return *std::min_element(times.at(name).begin(), times.at(name).end()); }
  double median(const std::string& name) {
    std::vector<double>& all = times.at(name);
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
  }

  std::map<std::string, std::vector<double>> times;
};

void print(const std::string& name, double value) {
  std::printf("{\"name\": \"%s\", \"value\": %.1f, \"unit\": \"ns\"}\n", name.c_str(), value);
}

}  // namespace

int main() {
  std::vector<std::string> arguments = {"router", "--benchmark_enable_random_interleaving=true",
                                        "--benchmark_min_time=0.01"};
  std::vector<char*> pointers;
  for (std::string& argument : arguments) {
    pointers.push_back(argument.data());
  }
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  at::set_num_threads(1);
  const c10::InferenceMode no_gradients;

  add_case("plain", nothing, false);
  add_case("empty", nothing);
  add_case("miss1", [] { return misses(1); });
  add_case("miss10", [] { return misses(10); });
  add_case("hit", hit);
  add_case("hit_both_forms", hit_both_forms);
  benchmark::RegisterBenchmark("ready", [](benchmark::State& state) {
    opyard::matmul_routers().uninstall();
    const auto kernel = ready_kernel();
    call_mm(state);
  })->Repetitions(kRepetitions);
  add_boxed_case("boxed_plain", nothing, false);
  add_boxed_case("boxed_empty", nothing);
  add_boxed_case("boxed_miss1", [] { return boxed(1, too_large()); });
  add_boxed_case("boxed_miss10", [] { return boxed(10, too_large()); });

  Collect collected;
  benchmark::RunSpecifiedBenchmarks(&collected);
  print("router.plain_mm_ns", collected.least("plain"));
  for (const char* name : {"empty", "miss1", "miss10"}) {
    print("router." + std::string(name) + "_ns", collected.least(name) - collected.least("plain"));
    print("router." + std::string(name) + "_median_ns", collected.median(name) - collected.median("plain"));
  }
  for (const char* name : {"boxed_empty", "boxed_miss1", "boxed_miss10"}) {
    print("router." + std::string(name) + "_ns", collected.least(name) - collected.least("boxed_plain"));
  }
  print("router.hit_ns", collected.least("hit") - collected.least("ready"));
  for (const char* name : {"hit", "hit_both_forms"}) {  // the whole call: dispatcher, router and a ready tensor
    print("router." + std::string(name) + "_whole_ns", collected.least(name));
  }
  return 0;
}
