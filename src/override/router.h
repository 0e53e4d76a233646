// The kernel that stands in front of an aten operator: tries the overrides in order, then calls the original.
#pragma once

#include <override/boxing_node.h>
#include <override/node.h>
#include <override/original.h>
#include <registry/thread_state.h>
#include <torch/library.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace opyard {

/// Puts a kernel into torch's table. torch's warning that a kernel was there before goes nowhere, others go on.
std::unique_ptr<torch::Library> install_kernel(const c10::OperatorHandle& op, c10::DispatchKey key,
                                               torch::CppFunction kernel);

[[noreturn]] void throw_endless_recursion(const std::string& point, const std::string& node);

/// What conditions see of an argument: null unless it is a tensor, or an optional tensor that is present.
template <class T>
const at::Tensor* as_tensor(const T& argument) {
  if constexpr (std::is_same_v<T, at::Tensor>) {
    return &argument;
  } else if constexpr (std::is_same_v<T, std::optional<at::Tensor>>) {
    return argument.has_value() ? &*argument : nullptr;
  } else {
    return nullptr;
  }
}

/// The argument that an out= or an in-place operator returns: the last one, or the first.
template <class First, class... Rest>
at::Tensor& returned_argument(First&& first, Rest&&... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return first;
  } else {
    auto&& last = std::get<sizeof...(Rest) - 1>(std::forward_as_tuple(rest...));
    if constexpr (std::is_same_v<decltype(last), at::Tensor&>) {
      return last;
    } else {
      return first;
    }
  }
}

template <class Signature>
class Router;

/// For an operator whose C++ signature is known when opyard is compiled. Lives forever once installed: torch's table
/// points to it.
template <class Return, class... Args>
class Router<Return(Args...)> final : public OverridePoint {
 public:
  using Signature = Return(Args...);

  /// Captures the original. Throws c10::Error when the operator is unknown or has another signature.
  Router(std::string op, std::string overload, c10::DispatchKey key, OriginalWay way = OriginalWay::kDirect)
      : OverridePoint(std::move(op), std::move(overload), key),
        original_(Original::capture(this->op(), key, way)),
        way_(way) {
    this->op().template typed<Signature>();
  }

  void install() override {
    std::lock_guard<std::mutex> lock(install_mutex());
    if (installed()) {
      return;
    }
    original_ = Original::capture(op(), key(), way_);  // again: another party may have come since
    library_ = install_kernel(
        op(), key(),
        torch::CppFunction([this](c10::DispatchKeySet keys, Args... args) C10_ALWAYS_INLINE_ATTRIBUTE -> Return {
          return route(keys, std::forward<Args>(args)...);
        }));
  }

  void uninstall() override {
    std::lock_guard<std::mutex> lock(install_mutex());
    library_.reset();
  }
  bool installed() const override { return library_ != nullptr; }

  const Original& original() const { return original_; }
  std::vector<std::string> originals() const override { return original_.registered_at(); }

  OverrideHandle add_boxed(std::string name, ConditionProgram condition,
                           std::shared_ptr<const BoxedServer> server) override {
    return own(std::make_shared<const BoxingNode<Signature>>(std::move(name), std::move(condition), std::move(server),
                                                             this->op()));
  }

  /// Registers an override; FunctorNode says what `implementation` and `predicate` look like.
  template <class Implementation, class Predicate = NoPredicate>
  OverrideHandle add_override(std::string name, const Condition& condition, Implementation implementation,
                              Predicate predicate = {}) {
    using Node = FunctorNode<Signature, Implementation, Predicate>;
    ConditionProgram program(condition, op().schema());
    return own(std::make_shared<const Node>(std::move(name), std::move(program), std::move(implementation),
                                            std::move(predicate)));
  }

  /// A call as torch's table makes it.
  C10_ALWAYS_INLINE Return route(c10::DispatchKeySet keys, Args... args) const {
    return C10_LIKELY(list() == nullptr) ? original_.template call<Return, Args...>(keys, std::forward<Args>(args)...)
                                         : route_listed(keys, std::forward<Args>(args)...);
  }

 private:
  using Node = TypedNode<Signature>;

  C10_NOINLINE Return route_listed(c10::DispatchKeySet keys, Args... args) const {
    if constexpr (std::is_reference_v<Return>) {
      Return result = returned_argument(args...);
      if (serve(result, args...)) {
        return result;
      }
    } else {
      Return result;
      if (serve(result, args...)) {
        return result;
      }
    }
    return original_.template call<Return, Args...>(keys, std::forward<Args>(args)...);
  }

  // The section ends before the original runs: a long kernel of torch's keeps nothing alive.
  C10_ALWAYS_INLINE bool serve(typename Node::Result& result, const Args&... args) const {
    const ThreadState& thread = thread_state;
    if (thread.aten_original_depth != 0) {
      return false;
    }
    ReadSection section(thread);
    const NodeList* nodes = section ? list() : nullptr;
    if (C10_UNLIKELY(nodes == nullptr)) {
      return false;
    }
    const at::Tensor* const tensors[] = {as_tensor(args)...};
    for (const auto& listed : nodes->nodes) {
      const Node& node = static_cast<const Node&>(*listed);
      const std::uint32_t failing = node.condition().first_failing(tensors);
      if (C10_LIKELY(failing != 0)) {
        node.fall(section, failing);
      } else if (serve_by(node, section, result, args...)) {
        return true;
      }
    }
    return false;
  }

  // Apart, so that the code of a call that falls through is short: among torch's own it is never warm in the cache.
  C10_NOINLINE bool serve_by(const Node& node, ReadSection& section, typename Node::Result& result,
                             const Args&... args) const {
    if (node.has_predicate() && !node.accepts(args...)) {
      node.fall(section, Node::kPredicateFalse);
      return false;
    }
    if (C10_UNLIKELY(section.too_deep())) {
      throw_endless_recursion(text(), node.name());
    }
    const Outcome outcome = node.serve(result, args...);
    if (outcome != Outcome::kServed) {
      node.fall(section, outcome);
      return false;
    }
    node.hit(section);
    return true;
  }

  Original original_;
  OriginalWay way_;
  std::unique_ptr<torch::Library> library_;  // null: torch's table does not point here
};

}  // namespace opyard
