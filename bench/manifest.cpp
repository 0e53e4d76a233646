// What declarations cost: bringing in those that are compiled into the library, and checking a call never seen.
// With a folder of manifests: the dearest check among its entries about attention.
#include <ATen/ATen.h>
#include <benchmark/benchmark.h>
#include <boundary/boundary.h>
#include <manifest/builtin.h>
#include <opyard/error.h>
#include <signature/validate_entry.h>
#include <signature/workload_cases.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace opyard {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReferenceEntries = 206;
constexpr int kShapes = 64;  // in turn, so that nothing of a call is left from the one before

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void print(const char* name, double value, const char* unit) {
  std::printf("{\"name\": \"%s\", \"value\": %.3f, \"unit\": \"%s\"}\n", name, value, unit);
}

/// Tensors of one call, in the order of the signature; undefined where absent.
using Tensors = std::vector<at::Tensor>;

/// The least of several rounds over all calls, seconds a check.
double check_seconds(const Signature& signature, const Construction& construction, const std::vector<Tensors>& calls) {
  std::vector<std::vector<const at::Tensor*>> pointers;
  for (const Tensors& call : calls) {
    pointers.emplace_back();
    for (const at::Tensor& tensor : call) pointers.back().push_back(tensor.defined() ? &tensor : nullptr);
  }
  double best = 1e18;
  for (int round = 0; round < 50; ++round) {
    const auto start = Clock::now();
    for (const auto& call : pointers) benchmark::DoNotOptimize(signature.check(construction, call.data()));
    best = std::min(best, seconds_since(start) / static_cast<double>(calls.size()));
  }
  return best;
}

double norm_check() {
  const auto signature = Signature::compile(builtin_schema("RMSNormFwdOp"));
  std::vector<Tensors> calls;
  for (int rows = 1; rows <= kShapes; ++rows) calls.push_back({at::zeros({rows, 64}), at::zeros({64})});
  return check_seconds(*signature, signature->construct({{"normalized_shape", Sequence{64}}}), calls);
}

at::Tensor made(const WorkloadTensor& tensor) {
  const auto options = at::TensorOptions().dtype(tensor.dtype).device(tensor.on_cpu ? at::kCPU : at::kMeta);
  return tensor.present ? at::empty(tensor.sizes, options) : at::Tensor();
}

/// The dearest of the calls that the entry's rows state.
double dearest_check(const Signature& signature) {
  double dearest = 0;
  for (const WorkloadCase& row : workload_cases(signature)) {
    Tensors call;
    for (const WorkloadTensor& input : row.inputs) call.push_back(made(input));
    std::vector<std::pair<std::string, at::Tensor>> given;
    for (const WorkloadTensor& tensor : row.construction_tensors)
      if (tensor.present) given.emplace_back(tensor.name, made(tensor));
    dearest = std::max(dearest, check_seconds(signature, signature.construct(row.params, given), {call}));
  }
  return dearest;
}

void measure_import() {
  const auto start = Clock::now();
  Registry registry;
  add_builtin_operators(registry);
  define_boundaries(registry);
  const double entries = static_cast<double>(builtin_names().size());
  print("manifest.import_ms", seconds_since(start) * 1e3 * kReferenceEntries / entries, "ms");
}

void measure_builtin() {
  measure_import();
  print("check.new_call_us.norm", norm_check() * 1e6, "us");
  print("check.new_call_us.attention", dearest_check(*Signature::compile(builtin_schema("GQADenseFwdOp"))) * 1e6, "us");
}

void measure_folder(const char* folder) {
  Faults faults;
  double dearest = 0;
  for (const auto& [op, signature] : compile_manifest(folder, {}, faults))
    if (signature->family().find("attention") != std::string::npos)
      dearest = std::max(dearest, dearest_check(*signature));
  faults.throw_first();
  print("check.new_call_us.reference_attention", dearest * 1e6, "us");
}

}  // namespace
}  // namespace opyard

int main(int count, char** arguments) {
  if (count > 1)
    opyard::measure_folder(arguments[1]);
  else
    opyard::measure_builtin();
}
