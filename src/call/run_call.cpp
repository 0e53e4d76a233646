// The table of contents of a call: one line a step, each into the folder of its name.
#include <call/plan_call.h>
#include <call/run_call.h>
#include <record/call_stack.h>
#include <run/launch.h>
#include <run/result_check.h>

namespace opyard {
namespace {

/// Holds the caller's interpreter lock back while it lives.
class WithoutLock {
 public:
  explicit WithoutLock(CallerLock* lock) : lock_(lock) {
    if (lock_ != nullptr) lock_->release();
  }
  ~WithoutLock() {
    if (lock_ != nullptr) lock_->acquire();
  }
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;

 private:
  CallerLock* lock_;
};

// Kernels write below autograd, which counts a tensor's versions.
[[gnu::noinline]] void count_writes(const CallPlan& plan, const at::Tensor* const* inputs) {
  for (const std::int32_t i : plan.written)
    if (!inputs[i]->is_inference()) inputs[i]->unsafeGetTensorImpl()->bump_version();
}

template <bool kInFront>
bool run(Instance& instance, const at::Tensor* const* inputs, at::Tensor* outputs, CallerLock* lock) {
  ThreadState& thread = this_thread();
  EpochScope reading(thread);
  CallScope begun(thread, instance);
  CallBinding binding(instance);
  InstanceSpec& spec = instance.spec();

  CallKey key;
  const bool keyed = key.read(inputs, spec.signature().inputs().size());
  const CallPlan* plan = keyed && instance.is_bound() ? spec.plans().find(key) : nullptr;
  std::unique_ptr<CallPlan> made;
  if (plan == nullptr) [[unlikely]] {
    WithoutLock building(lock);
    made = plan_call(instance, keyed ? &key : nullptr, inputs, binding);
    plan = made.get();
  }

  const bool runs = !kInFront || !plan->general;
  if (runs) {
    KernelCall call(inputs, outputs, plan->outputs.data(), plan->record->spec.device);
    {
      WithoutLock running(plan->release_gil ? lock : nullptr);
      launch(*plan, call);
    }
    check_result(*plan, inputs, outputs);
    if (!plan->written.empty()) [[unlikely]]
      count_writes(*plan, inputs);
    if (plan->served != nullptr) plan->served->calls.fetch_add(1, std::memory_order_relaxed);
    instance.record(*plan->record);
  }
  binding.commit();
  if (made != nullptr && keyed) [[unlikely]]
    spec.plans().insert(std::move(made));
  return runs;
}

}  // namespace

void run_call(Instance& instance, const at::Tensor* const* inputs, at::Tensor* outputs, CallerLock* lock) {
  run<false>(instance, inputs, outputs, lock);
}

bool run_call_in_front(Instance& instance, const at::Tensor* const* inputs, at::Tensor* outputs) {
  return run<true>(instance, inputs, outputs, nullptr);
}

}  // namespace opyard
