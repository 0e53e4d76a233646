// Reads torch's private table of kernels: the one file that does. An explicit instantiation may name private members.
#include <override/original.h>

namespace opyard {
namespace {

using c10::impl::OperatorEntry;
using KernelsByKey = ska::flat_hash_map<c10::DispatchKey, std::list<c10::impl::AnnotatedKernel>>;

const OperatorEntry& entry_of(const c10::OperatorHandle& op);
const KernelsByKey& kernels_of(const OperatorEntry& entry);
std::mutex& mutex_of(const c10::Dispatcher& dispatcher);
void* function_of(const c10::KernelFunction& kernel);
c10::OperatorKernel* functor_of(const c10::KernelFunction& kernel);

template <auto operator_def>
struct OpenHandle {
  friend const OperatorEntry& entry_of(const c10::OperatorHandle& op) { return (op.*operator_def)->op; }
};
template struct OpenHandle<&c10::OperatorHandle::operatorDef_>;

template <auto kernels>
struct OpenEntry {
  friend const KernelsByKey& kernels_of(const OperatorEntry& entry) { return entry.*kernels; }
};
template struct OpenEntry<&OperatorEntry::kernels_>;

template <auto function>
struct OpenFunction {
  friend void* function_of(const c10::KernelFunction& kernel) { return kernel.*function; }
};
template struct OpenFunction<&c10::KernelFunction::unboxed_kernel_func_>;

template <auto boxed, auto functor>
struct OpenFunctor {
  friend c10::OperatorKernel* functor_of(const c10::KernelFunction& kernel) { return ((kernel.*boxed).*functor)(); }
};
template struct OpenFunctor<&c10::KernelFunction::boxed_kernel_func_, &c10::BoxedKernel::getFunctor>;

template <auto guard>
struct OpenDispatcher {
  friend std::mutex& mutex_of(const c10::Dispatcher& dispatcher) { return (dispatcher.*guard)->mutex; }
};
template struct OpenDispatcher<&c10::Dispatcher::guard_>;

// The public interface gives only a boxed call; as a kernel of its own, KernelFunction::call boxes for it.
struct BoxedCall final : c10::OperatorKernel {
  explicit BoxedCall(c10::SafeKernelFunction f) : original(std::move(f)) {}
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    original.callBoxed(op, keys, stack);
  }
  c10::SafeKernelFunction original;
};

}  // namespace

Original Original::capture(const c10::OperatorHandle& op, c10::DispatchKey key, OriginalWay way) {
  Original original(op);
  if (way == OriginalWay::kBoxed || !original.capture_direct(key)) {
    original.capture_boxed(key);
  }
  if (original.parties_.empty()) {
    original.function_ = function_of(original.own_);
    original.functor_ = functor_of(original.own_);
  }
  return original;
}

bool Original::capture_direct(c10::DispatchKey key) {
  const std::string computed = op_.getComputedKernelForDispatchKey(key).debug();
  std::lock_guard<std::mutex> lock(mutex_of(c10::Dispatcher::singleton()));
  const OperatorEntry& entry = entry_of(op_);
  if (entry.operator_name() != op_.operator_name()) {
    return false;
  }
  const auto found = kernels_of(entry).find(key);
  if (found == kernels_of(entry).end()) {  // the key is served through an alias key, so nobody registered here
    own_ = entry.lookup(c10::DispatchKeySet(key));
    own_registered_at_ = computed;
    way_ = OriginalWay::kDirect;
    return own_.isValid();
  }
  // Newest first; torch registers before anyone can, when its library is loaded.
  const std::list<c10::impl::AnnotatedKernel>& kernels = found->second;
  if (kernels.empty() || kernels.front().debug != computed || !kernels.back().kernel.isValid()) {
    return false;
  }
  own_ = kernels.back().kernel;
  own_registered_at_ = kernels.back().debug;
  for (auto kernel = kernels.begin(); kernel != std::prev(kernels.end()); ++kernel) {
    auto token = std::make_shared<c10::KernelToken>();
    kernel->kernel.registerToken(token);
    parties_.push_back({kernel->kernel, std::move(token), kernel->debug});
  }
  way_ = OriginalWay::kDirect;
  return true;
}

void Original::capture_boxed(c10::DispatchKey key) {
  c10::SafeKernelFunction computed = op_.getComputedKernelForDispatchKey(key);
  own_registered_at_ = computed.debug();
  own_ = c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<BoxedCall>(std::move(computed)));
  parties_.clear();
  way_ = OriginalWay::kBoxed;
}

const c10::KernelFunction& Original::newest_present() const {
  for (const Party& party : parties_) {
    if (party.token->isValid()) {
      return party.kernel;
    }
  }
  return own_;
}

std::vector<std::string> Original::registered_at() const {
  std::vector<std::string> places;
  for (const Party& party : parties_) {
    if (party.token->isValid()) {
      places.push_back(party.registered_at);
    }
  }
  places.push_back(own_registered_at_);
  return places;
}

}  // namespace opyard
