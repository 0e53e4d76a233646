// An operator's body written in Python: its `forward`.
#pragma once

#include <call/body.h>
#include <pybind11/pybind11.h>
#include <signature/signature.h>

#include <memory>

namespace opyard::python {

/// Borrows the operator object, which owns the instance that owns this.
class PythonBody final : public Body {
 public:
  PythonBody(PyObject* self, std::shared_ptr<const Signature> signature, bool has_kernels)
      : self_(self), signature_(std::move(signature)), has_kernels_(has_kernels) {}

  void forward(KernelCall& call) const override;
  void reset_binding() noexcept override;
  bool has_kernels() const override { return has_kernels_; }

  /// The object goes: later calls, from a graph that still runs, raise. Under the interpreter lock, as every use of it.
  void detach() { self_ = nullptr; }

 private:
  PyObject* self_;
  std::shared_ptr<const Signature> signature_;
  bool has_kernels_;
};

}  // namespace opyard::python
