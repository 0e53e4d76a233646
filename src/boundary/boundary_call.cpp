#include <boundary/boundary.h>
#include <boundary/boundary_call.h>
#include <call/run_call.h>
#include <opyard/error.h>
#include <registry/fork_lock.h>

#include <mutex>
#include <unordered_map>

namespace opyard {
namespace {

// Graph calls of one spec share an instance, which lives as long as the process: a graph may run at any time.
std::shared_ptr<Instance> graph_instance(Registry& registry, const std::string& text) {
  static auto& instances = *new std::unordered_map<std::string, std::shared_ptr<Instance>>;
  {
    std::lock_guard guard(lock_of(LockRank::kInstances));
    if (auto found = instances.find(text); found != instances.end()) return found->second;
  }
  auto made = std::make_shared<Instance>(InstanceSpec::from_text(registry, text));
  std::lock_guard guard(lock_of(LockRank::kInstances));
  // Another thread may have made it meanwhile: this one's is destroyed after the lock, which its destructor takes.
  return instances.try_emplace(text, made).first->second;
}

}  // namespace

StackInputs stack_inputs(const Signature& signature, const torch::jit::Stack& stack) {
  const std::size_t count = signature.inputs().size();
  const torch::jit::IValue* first = &stack[stack.size() - count - 1];
  StackInputs inputs;
  for (std::size_t i = 0; i < count; ++i) inputs.push_back(first[i].isNone() ? nullptr : &first[i].toTensor());
  return inputs;
}

std::shared_ptr<Instance> instance_of(Registry& registry, const Signature& signature, const std::string& key) {
  const auto instance = key.starts_with('{') ? graph_instance(registry, key) : Instance::by_key(key);
  if (instance != nullptr && instance->signature().op() == signature.op()) return instance;
  throw SignatureError(
      SignatureError::Kind::kValue,
      instance == nullptr ? "the operator instance of this call is gone, or of another process: it holds objects, a "
                            "body or tensors, that no text in a graph can describe"
                          : "the key of this call names an instance of another operator",
      {.op = signature.op(),
       .argument = "instance_key",
       .expected = "the key of a living instance of this operator, or its spec",
       .got = key,
       .advice = "keep the instance while something calls it; export one that is built from plain values"});
}

void check_branch(const Instance& instance, const Effects& effects, const StackInputs& inputs) {
  const Signature& signature = instance.signature();
  if (!has_effects(signature)) return;
  const Effects own = effects_of(signature, instance.spec().construction(), inputs.data());
  if (own == effects) return;
  throw SignatureError(SignatureError::Kind::kValue, "a call came through the custom op of other effects",
                       {.op = signature.op(),
                        .expected = boundary_name(signature, own),
                        .got = boundary_name(signature, effects),
                        .declared_at = signature.declared_at(),
                        .advice = "call the operator itself, which chooses its custom op"});
}

void boundary_call(Registry& registry, const Signature& signature, const Effects& effects, torch::jit::Stack& stack) {
  const std::shared_ptr<Instance> instance = instance_of(registry, signature, stack.back().toStringRef());
  c10::SmallVector<at::Tensor, 4> outputs(signature.outputs().size());
  {
    const StackInputs inputs = stack_inputs(signature, stack);
    check_branch(*instance, effects, inputs);
    run_call(*instance, inputs.data(), outputs.data());
  }
  torch::jit::drop(stack, signature.inputs().size() + 1);
  for (const std::size_t i : returned_outputs(effects)) stack.emplace_back(std::move(outputs[i]));
}

}  // namespace opyard
