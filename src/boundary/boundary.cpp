#include <ATen/core/dispatch/Dispatcher.h>
#include <boundary/batched_call.h>
#include <boundary/boundary.h>
#include <boundary/boundary_call.h>
#include <boundary/fake.h>
#include <boundary/record_gradient.h>
#include <opyard/error.h>
#include <opyard/manifest.h>
#include <registry/fork_lock.h>
#include <torch/library.h>

namespace opyard {
namespace {

struct BackendCall : c10::OperatorKernel {
  BackendCall(Registry& registry, std::shared_ptr<const Signature> signature, Effects effects)
      : registry(registry), signature(std::move(signature)), effects(std::move(effects)) {}

  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) {
    boundary_call(registry, *signature, effects, *stack);
  }

  Registry& registry;
  std::shared_ptr<const Signature> signature;
  Effects effects;
};

struct FakeCall : BackendCall {
  using BackendCall::BackendCall;

  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) {
    fake_call(registry, *signature, effects, *stack);
  }
};

}  // namespace

namespace {

// Leaked: taking a library out of the dispatcher while other threads call is not safe.
torch::Library& library() {
  static auto& made = *new torch::Library(torch::Library::FRAGMENT, "opyard", std::nullopt, __FILE__, __LINE__);
  return made;
}

void define_branch(Registry& registry, const std::shared_ptr<const Signature>& signature, const Effects& effects) {
  const std::string name = boundary_name(*signature, effects);
  if (c10::Dispatcher::singleton().findOp({"opyard::" + name, ""}))
    throw ManifestError("two operators would have one custom op", {.op = signature->op(),
                                                                   .expected = "a name of its own",
                                                                   .got = "opyard::" + name,
                                                                   .declared_at = signature->declared_at(),
                                                                   .advice = "rename the operator or its family"});
  library().def(boundary_schema(*signature, effects).c_str(), {at::Tag::pt2_compliant_tag});
  const auto implement = [&](c10::DispatchKey key, auto kernel) {
    library().impl(name.c_str(), torch::dispatch(key, torch::CppFunction::makeFromBoxedFunctor(std::move(kernel))));
  };
  for (const auto key : {c10::DispatchKey::CPU, c10::DispatchKey::MkldnnCPU, c10::DispatchKey::CUDA})
    implement(key, std::make_unique<BackendCall>(registry, signature, effects));
  implement(c10::DispatchKey::Meta, std::make_unique<FakeCall>(registry, signature, effects));
  implement(c10::DispatchKey::FuncTorchBatched, std::make_unique<BatchedCall>(registry, signature, effects));
  implement(c10::DispatchKey::Autograd, std::make_unique<RecordGradient>(registry, signature, effects));
}

}  // namespace

void define_boundary(Registry& registry, const std::shared_ptr<const Signature>& signature) {
  if (compile_op_names(*signature).empty()) return;
  std::lock_guard guard(lock_of(LockRank::kRoutes));  // of what this process puts into torch's dispatcher
  for (const Effects& effects : effect_branches(*signature)) define_branch(registry, signature, effects);
}

void define_boundaries(Registry& registry) {
  static const bool defined = [&] {
    for (const std::string& op : registry.operators()) define_boundary(registry, registry.find(op).signature);
    return true;
  }();
  static_cast<void>(defined);
}

void define_custom_ops() { define_boundaries(Registry::process()); }

}  // namespace opyard
