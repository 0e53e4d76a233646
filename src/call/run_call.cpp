// The table of contents of a call: one line a step, each into the folder of its name.
#include <call/all_inputs.h>
#include <call/plan_call.h>
#include <call/run_call.h>
#include <record/call_stack.h>
#include <run/launch.h>
#include <run/result_check.h>
#include <select/choices.h>

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

// Step 7 of a call whose body called other operators.
[[gnu::noinline]] CallRecordPtr record_with_stages(const Instance& instance, const CallPlan& plan,
                                                   const CallFrame& frame) {
  Stages stages = instance.delegates().file(instance.signature().op(), *frame.completed);
  if (frame.completed->empty()) return plan.record;
  auto record = c10::make_intrusive<CallRecord>(plan.record->spec);
  record->implementation = plan.record->implementation;
  record->target = plan.record->target;
  record->stages = std::move(stages);
  return record;
}

void finish(Instance& instance, const CallPlan& plan, const CallFrame& frame) {
  CallRecordPtr own;
  CallRecord* record = plan.record.get();
  if (frame.completed != nullptr) [[unlikely]] {
    own = record_with_stages(instance, plan, frame);
    record = own.get();
  }
  instance.record(*record);
  if (frame.enclosing != nullptr && frame.enclosing->completed != nullptr) [[unlikely]]
    frame.enclosing->completed->push_back({&instance, instance.key(), CallRecordPtr::reclaim_copy(record)});
}

template <bool kInFront>
bool run(Instance& instance, const at::Tensor* const* given, at::Tensor* outputs, CallerLock* lock) {
  ThreadState& thread = this_thread();
  EpochScope reading(thread);
  CallScope begun(thread, instance);
  CallBinding binding(instance);
  InstanceSpec& spec = instance.spec();

  CallKey key;
  const bool keyed = key.read(given, spec.signature().inputs().size());
  if (const std::uint64_t choices = choices_word(thread)) [[unlikely]]
    key.add(choices);
  const CallPlan* plan = keyed && instance.is_bound() ? spec.plans().find(key) : nullptr;
  std::unique_ptr<CallPlan> made;
  if (plan == nullptr) [[unlikely]] {
    WithoutLock building(lock);
    made = plan_call(instance, keyed ? &key : nullptr, given, binding);
    plan = made.get();
  }

  const bool runs = !kInFront || !plan->general;
  if (runs) {
    const AllInputs inputs(spec, given);
    KernelCall call(inputs.data(), outputs, plan->outputs.data(), plan->record->spec.device);
    {
      WithoutLock running(plan->release_gil ? lock : nullptr);
      launch(*plan, call);
    }
    check_result(*plan, inputs.data(), outputs);
    if (!plan->written.empty()) [[unlikely]]
      count_writes(*plan, given);
    if (plan->served != nullptr) plan->served->count(thread);
    if constexpr (kInFront)
      instance.record(*plan->record);  // stands for an aten call: nobody's stage
    else
      finish(instance, *plan, begun.frame());
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

void record_meta_call(Instance& instance, const at::Tensor* const* inputs) {
  ThreadState& thread = this_thread();
  EpochScope reading(thread);
  CallScope begun(thread, instance);
  CallBinding binding(instance);
  const auto plan = plan_call(instance, nullptr, inputs, binding);
  finish(instance, *plan, begun.frame());
  binding.commit();
}

bool run_call_in_front(Instance& instance, const at::Tensor* const* inputs, at::Tensor* outputs) {
  return run<true>(instance, inputs, outputs, nullptr);
}

}  // namespace opyard
