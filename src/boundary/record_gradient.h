// A custom op's kernel above its backends: passes the call on, and leaves autograd a node where a gradient is recorded.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <boundary/backward_link.h>

#include <mutex>

namespace opyard {

class RecordGradient : public c10::OperatorKernel {
 public:
  RecordGradient(Registry& registry, std::shared_ptr<const Signature> signature, Effects effects)
      : registry_(registry), signature_(std::move(signature)), effects_(std::move(effects)) {}

  /// Throws SignatureError where a gradient would be recorded and none is declared.
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);

 private:
  void record_by_aten(torch::jit::Stack* stack);
  void record(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);

  Registry& registry_;
  std::shared_ptr<const Signature> signature_;
  Effects effects_;
  // Read when a gradient is first recorded: the backward operator may be declared later than this one.
  std::shared_ptr<const BackwardLink> link_;
  std::once_flag read_;
};

}  // namespace opyard
