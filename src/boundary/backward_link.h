// What an operator's `backward` says: the operator that computes the gradients, and what each of its arguments is.
#pragma once

#include <call/instance_spec.h>
#include <registry/registry.h>
#include <signature/effects.h>

#include <string>
#include <utility>
#include <vector>

namespace opyard {

/// What an argument of the backward operator is, in terms of the forward call.
struct BackwardSource {
  enum class Kind : std::uint8_t {
    kAbsent,
    kInput,
    kOutput,
    kGradient,   // of an output
    kParameter,  // of the forward operator
    kNeeded,     // whether an input's gradient is asked for
    kLiteral,
  };
  Kind kind = Kind::kAbsent;
  std::size_t number = 0;  // of the input, output or parameter
  Value literal;
};

struct BackwardLink {
  std::shared_ptr<const Signature> backward;
  std::vector<BackwardSource> inputs;                          // for each input of the backward operator
  std::vector<std::pair<std::string, BackwardSource>> params;  // for each parameter of it that is given
  std::vector<std::vector<std::size_t>> gives;  // for each output of it: the inputs it is the gradient of
  std::vector<std::size_t> differentiable;      // inputs of the forward operator, in order
  std::vector<std::size_t> gradients;           // outputs of the forward operator, in order

  /// The instance spec of the backward of a call of `forward`; `needed` has one flag for each of `differentiable`.
  std::shared_ptr<InstanceSpec> spec(Registry& registry, const Construction& forward, c10::ArrayRef<bool> needed) const;
};

/// Whether a call of this operator can record nothing: no output holds real numbers.
bool records_nothing(const Signature& signature);

/// Whether the entry says `backward: aten`: autograd records the aten calls of its general implementation.
bool recorded_by_aten(const Signature& signature);

/// Null where the operator declares no backward. Throws ManifestError where the declaration and the operator that it
/// names do not fit, OpNotAvailableError where there is no such operator.
std::shared_ptr<const BackwardLink> read_backward(const Registry& registry, const Signature& signature);

}  // namespace opyard
