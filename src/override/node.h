// Nodes with an implementation: callables with the operator's own C++ signature.
#pragma once

#include <override/outcome.h>
#include <override/override.h>

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

namespace opyard {

/// A condition that raises is an error, not a "no": a broken predicate must not hide.
[[noreturn]] void throw_predicate_failed(const std::string& node, const char* what);

/// Stands where an override has no predicate besides its condition.
struct NoPredicate {
  template <class... Args>
  bool operator()(const Args&...) const {
    return true;
  }
};

template <class Signature>
class TypedNode;

template <class Return, class... Args>
class TypedNode<Return(Args...)> : public OverrideNode {
 public:
  /// A new tensor for functional forms; where the operator returns an argument (out=), that argument.
  using Result = std::remove_reference_t<Return>;

  using OverrideNode::OverrideNode;

  /// The predicate, when has_predicate(). Throws Error naming the node when the predicate raises.
  virtual bool accepts(Args... args) const = 0;

  /// Runs the implementation; unless it served, nothing was written.
  virtual Outcome serve(Result& result, Args... args) const = 0;
};

/// `implementation(args...)` gives a Tensor, undefined to decline; where the operator returns an argument it writes
/// that argument and gives true, or false to decline. `predicate(args...)` gives a bool. Both are called from any
/// number of threads at once; what an implementation raises reaches the caller.
template <class Signature, class Implementation, class Predicate>
class FunctorNode;

template <class Return, class... Args, class Implementation, class Predicate>
class FunctorNode<Return(Args...), Implementation, Predicate> final : public TypedNode<Return(Args...)> {
 public:
  using typename TypedNode<Return(Args...)>::Result;

  static constexpr bool kReturnsArgument = std::is_reference_v<Return>;
  static_assert(kReturnsArgument || std::is_same_v<Return, at::Tensor>, "operators of other results come boxed");
  static_assert(
      std::is_invocable_r_v<std::conditional_t<kReturnsArgument, bool, at::Tensor>, const Implementation&, Args...>,
      "an implementation takes the operator's arguments; it returns a Tensor, or a bool for out=");
  static_assert(std::is_invocable_r_v<bool, const Predicate&, Args...>, "a predicate takes the operator's arguments");

  FunctorNode(std::string name, ConditionProgram condition, Implementation implementation, Predicate predicate)
      : TypedNode<Return(Args...)>(std::move(name), std::move(condition), !std::is_same_v<Predicate, NoPredicate>),
        implementation_(std::move(implementation)),
        predicate_(std::move(predicate)) {}

  bool accepts(Args... args) const override {
    try {
      return predicate_(std::forward<Args>(args)...);
    } catch (const std::exception& error) {
      throw_predicate_failed(this->name(), error.what());
    }
  }

  Outcome serve(Result& result, Args... args) const override {
    bool served = false;
    if constexpr (kReturnsArgument) {
      served = implementation_(std::forward<Args>(args)...);
    } else {
      result = implementation_(std::forward<Args>(args)...);
      served = result.defined();
    }
    return served ? Outcome::kServed : Outcome::kDeclined;
  }

 private:
  Implementation implementation_;
  Predicate predicate_;
};

}  // namespace opyard
