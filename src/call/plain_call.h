// Whether an eager call may skip torch's dispatcher: only when nothing there could matter.
#pragma once

#include <ATen/PythonTorchFunctionTLS.h>
#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace opyard {

/// No dispatch or function mode, no functorch level, no autocast, no profiler callback on this thread.
inline bool thread_is_plain() {
  const c10::impl::LocalDispatchKeySet local = c10::impl::tls_local_dispatch_key_set();
  return (local.included_ - c10::default_included_set).empty() &&
         (c10::default_excluded_set - local.excluded_).empty() && at::impl::PythonTorchFunctionTLS::stack_len() == 0 &&
         !at::hasCallbacks();
}

/// A tracer may be watching: a dispatch mode is on, or a tensor is a subclass. What it writes down may outlive the
/// instance.
inline bool may_be_traced(const at::Tensor* const* tensors, std::size_t count) {
  constexpr c10::DispatchKeySet kPython({c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot});
  if (c10::impl::tls_local_dispatch_key_set().included_.has_any(kPython)) return true;
  for (std::size_t i = 0; i < count; ++i)
    if (tensors[i] != nullptr && tensors[i]->key_set().has_any(kPython)) return true;
  return false;
}

/// Dense tensors of a backend without conjugate or negative bit, of which none needs a gradient that would be recorded.
inline bool tensors_are_plain(const at::Tensor* const* tensors, std::size_t count) {
  constexpr c10::DispatchKeySet kPlain =
      c10::DispatchKeySet({c10::DispatchKey::CPU, c10::DispatchKey::CUDA, c10::DispatchKey::MkldnnCPU,
                           c10::DispatchKey::AutogradCPU, c10::DispatchKey::AutogradCUDA,
                           c10::DispatchKey::ADInplaceOrView, c10::DispatchKey::AutocastCPU,
                           c10::DispatchKey::AutocastCUDA}) |
      c10::autograd_dispatch_keyset;
  const bool recording = c10::GradMode::is_enabled();
  for (std::size_t i = 0; i < count; ++i) {
    if (tensors[i] == nullptr) continue;
    const c10::TensorImpl* impl = tensors[i]->unsafeGetTensorImpl();
    // On the bits themselves: the difference of two key sets leaves the backend's bit in.
    if ((impl->key_set().raw_repr() & ~kPlain.raw_repr()) != 0 || (recording && impl->requires_grad())) return false;
  }
  return true;
}

}  // namespace opyard
