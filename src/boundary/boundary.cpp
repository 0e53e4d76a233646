#include <ATen/core/dispatch/Dispatcher.h>
#include <boundary/batched_call.h>
#include <boundary/boundary.h>
#include <boundary/boundary_call.h>
#include <boundary/boundary_schema.h>
#include <boundary/fake.h>
#include <boundary/lazy_kernel.h>
#include <boundary/record_gradient.h>
#include <manifest/builtin.h>
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

// One custom op of an operator, and how its kernels are made: now, for what a user declares.
struct DeclaredBranch {
  Registry& registry;
  std::shared_ptr<const Signature> signature;
  Effects effects;

  const std::string& op() const { return signature->op(); }

  template <class Kernel>
  std::unique_ptr<Kernel> kernel() const {
    return std::make_unique<Kernel>(registry, signature, effects);
  }
};

// When they are first called, for the operators of the library: import compiles none of them.
struct BuiltinBranch {
  Registry& registry;
  std::string_view name;
  std::size_t number;  // among the operator's branches

  std::string op() const { return std::string(name); }

  template <class Kernel>
  std::unique_ptr<LazyKernel<Kernel>> kernel() const {
    return std::make_unique<LazyKernel<Kernel>>([branch = *this] {
      const auto signature = branch.registry.find(branch.name).signature;
      return std::make_unique<Kernel>(branch.registry, signature, effect_branches(*signature)[branch.number]);
    });
  }
};

template <class Branch>
void define_branch(const Branch& branch, std::string_view schema) {
  const std::string name(schema.substr(0, schema.find('(')));
  if (c10::Dispatcher::singleton().findOp({"opyard::" + name, ""}))
    throw ManifestError("two operators would have one custom op",
                        {.op = branch.op(),
                         .expected = "a name of its own",
                         .got = "opyard::" + name,
                         .declared_at = branch.registry.find(branch.op()).signature->declared_at(),
                         .advice = "rename the operator or its family"});
  library().def(parse_boundary_schema(schema), {at::Tag::pt2_compliant_tag});
  const auto implement = [&](c10::DispatchKey key, auto kernel) {
    library().impl(name.c_str(), torch::dispatch(key, torch::CppFunction::makeFromBoxedFunctor(std::move(kernel))));
  };
  for (const auto key : {c10::DispatchKey::CPU, c10::DispatchKey::MkldnnCPU, c10::DispatchKey::CUDA})
    implement(key, branch.template kernel<BackendCall>());
  implement(c10::DispatchKey::Meta, branch.template kernel<FakeCall>());
  implement(c10::DispatchKey::FuncTorchBatched, branch.template kernel<BatchedCall>());
  implement(c10::DispatchKey::Autograd, branch.template kernel<RecordGradient>());
}

void define_builtin(Registry& registry, const BuiltinEntry& entry) {
  std::string_view schemas = entry.boundaries;
  for (std::size_t number = 0; !schemas.empty(); ++number) {
    const std::size_t end = schemas.find('\n');
    define_branch(BuiltinBranch{registry, entry.op, number}, schemas.substr(0, end));
    schemas.remove_prefix(end + 1);
  }
}

}  // namespace

void define_boundary(Registry& registry, const std::shared_ptr<const Signature>& signature) {
  if (compile_op_names(*signature).empty()) return;
  std::lock_guard guard(lock_of(LockRank::kRoutes));  // of what this process puts into torch's dispatcher
  for (const Effects& effects : effect_branches(*signature))
    define_branch(DeclaredBranch{registry, signature, effects}, boundary_schema(*signature, effects));
}

void define_boundaries(Registry& registry) {
  static const bool defined = [&] {
    std::lock_guard guard(lock_of(LockRank::kRoutes));
    const BuiltinTable table = builtin_table();
    for (std::size_t i = 0; i < table.count; ++i) define_builtin(registry, table.entries[i]);
    return true;
  }();
  static_cast<void>(defined);
}

void define_custom_ops() { define_boundaries(Registry::process()); }

}  // namespace opyard
