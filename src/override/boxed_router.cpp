#include <c10/util/Exception.h>
#include <override/boxed_router.h>
#include <override/router.h>

#include <limits>

namespace opyard {
namespace {

// What torch's table holds.
struct Entrance final : c10::OperatorKernel {
  explicit Entrance(const BoxedRouter& r) : router(r) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    router.route(keys, *stack);
  }
  const BoxedRouter& router;
};

}  // namespace

BoxedRouter::BoxedRouter(std::string op, std::string overload, c10::DispatchKey key)
    : OverridePoint(std::move(op), std::move(overload), key), arguments_(this->op().schema().arguments().size()) {
  capture();
}

void BoxedRouter::capture() {
  original_.reset();
  if (op().hasComputedKernelForDispatchKey(key())) {
    original_.emplace(Original::capture(op(), key()));
  }
}

void BoxedRouter::install() {
  std::lock_guard<std::mutex> lock(install_mutex());
  if (installed()) {
    return;
  }
  capture();  // again: another party may have come since
  library_ = install_kernel(op(), key(), torch::CppFunction::makeFromBoxedFunctor(std::make_unique<Entrance>(*this)));
}

void BoxedRouter::uninstall() {
  std::lock_guard<std::mutex> lock(install_mutex());
  library_.reset();
}

OverrideHandle BoxedRouter::add_boxed(std::string name, ConditionProgram condition,
                                      std::shared_ptr<const BoxedServer> server) {
  return own(std::make_shared<const BoxedNode>(std::move(name), std::move(condition), std::move(server)));
}

std::vector<std::string> BoxedRouter::originals() const {
  return original_ ? original_->registered_at() : std::vector<std::string>{};
}

void BoxedRouter::route(c10::DispatchKeySet keys, torch::jit::Stack& stack) const {
  if (list() == nullptr || !serve(stack)) {
    call_original(keys, stack);
  }
}

void BoxedRouter::call_original(c10::DispatchKeySet keys, torch::jit::Stack& stack) const {
  if (C10_LIKELY(original_.has_value())) {
    original_->call_boxed(keys, &stack);
    return;
  }
  TORCH_CHECK_NOT_IMPLEMENTED(false, text(), ": no override serves this call, and torch has no kernel there");
}

// The section ends before the original runs: a long kernel of torch's keeps nothing alive.
bool BoxedRouter::serve(torch::jit::Stack& stack) const {
  const ThreadState& thread = thread_state;
  if (thread.aten_original_depth != 0) {
    return false;
  }
  ReadSection section(thread);
  const NodeList* nodes = section ? list() : nullptr;
  if (nodes == nullptr) {
    return false;
  }
  const BoxedTensors tensors{stack.data() + (stack.size() - arguments_)};
  for (const auto& listed : nodes->nodes) {
    const auto& node = static_cast<const BoxedNode&>(*listed);
    const std::uint32_t failing = node.condition().first_failing(tensors);
    if (failing != 0) {
      node.fall(section, failing);
    } else if (serve_by(node, section, stack)) {
      return true;
    }
  }
  return false;
}

bool BoxedRouter::serve_by(const BoxedNode& node, ReadSection& section, torch::jit::Stack& stack) const {
  if (section.too_deep()) {
    throw_endless_recursion(text(), node.name());
  }
  torch::jit::Stack results;
  const std::size_t first = stack.size() - arguments_;
  const Outcome outcome = node.serve(op(), c10::ArrayRef<c10::IValue>(stack).slice(first), results);
  if (outcome != Outcome::kServed) {
    node.fall(section, outcome);
    return false;
  }
  node.hit(section);
  stack.resize(first);
  stack.insert(stack.end(), std::make_move_iterator(results.begin()), std::make_move_iterator(results.end()));
  return true;
}

}  // namespace opyard
