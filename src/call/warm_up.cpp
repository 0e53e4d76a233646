#include <call/plan_call.h>
#include <call/undo_guard.h>
#include <call/warm_up.h>
#include <opyard/cuda.h>
#include <opyard/error.h>
#include <registry/epoch.h>
#include <select/choices.h>
#include <select/select.h>

namespace opyard {
namespace {

void refuse_body(const Instance& instance) {
  if (instance.body() == nullptr) return;
  throw SignatureError(SignatureError::Kind::kValue, "an operator with a body cannot be made ready ahead",
                       {.op = instance.signature().op(),
                        .got = "a body that asks for kernels as it runs",
                        .advice = "call it once, or make its sub-operators ready"});
}

}  // namespace

at::Tensor without_memory(c10::IntArrayRef sizes, c10::ScalarType dtype, c10::Device device) {
  const auto keys = c10::DispatchKeySet(c10::computeDispatchKey(dtype, c10::kStrided, device));
  c10::Storage nothing(c10::Storage::use_byte_size_t(), 0, c10::DataPtr(nullptr, device));
  auto tensor = at::detail::make_tensor<c10::TensorImpl>(std::move(nothing), keys, c10::scalarTypeToTypeMeta(dtype));
  tensor.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  return tensor;
}

void warm_up(Instance& instance, const at::Tensor* const* inputs) {
  refuse_body(instance);
  ThreadState& thread = this_thread();
  EpochScope reading(thread);
  CallBinding binding(instance);
  CallKey key;
  const bool keyed = key.read(inputs, instance.signature().inputs().size());
  if (const std::uint64_t choices = choices_word(thread)) key.add(choices);
  auto plan = plan_call(instance, keyed ? &key : nullptr, inputs, binding);
  binding.commit();
  if (keyed) instance.spec().plans().insert(std::move(plan));
}

std::string compile_ahead(Instance& instance, const at::Tensor* const* inputs, const std::string& arch) {
  refuse_body(instance);
  const InstanceSpec& spec = instance.spec();
  const cuda::CompileOnly scope(arch);
  const auto solved = spec.signature().check(spec.construction(), inputs);
  if (solved.empty_write) return "";
  const CallSpec call = spec_of(spec, solved, inputs);
  const ImplementationEntry& chosen = select(spec.implementations(), call);
  chosen.declared.entry_for(call).build();
  return chosen.declared.key;
}

}  // namespace opyard
