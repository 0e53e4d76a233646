// A custom op under torch.vmap: one call along a parallel index where the declaration has one, else a call for each.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <boundary/boundary_call.h>
#include <registry/registry.h>

namespace opyard {

class BatchedCall : public c10::OperatorKernel {
 public:
  BatchedCall(Registry& registry, std::shared_ptr<const Signature> signature, Effects effects)
      : registry_(registry), signature_(std::move(signature)), effects_(std::move(effects)) {}

  /// Throws SignatureError where a tensor that is not batched would be written.
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);

 private:
  Registry& registry_;
  std::shared_ptr<const Signature> signature_;
  Effects effects_;
};

}  // namespace opyard
