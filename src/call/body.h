// The computation of an operator that is written, in Python or C++, in place of one that selection finds.
#pragma once

#include <opyard/kernel.h>

namespace opyard {

/// Runs as the kernel of its instance's calls. It asks its instance for entries at each call and keeps none itself.
class Body : public Kernel {
 public:
  /// Lets go of every entry that it built for its instance: what undo does to the binding.
  virtual void reset_binding() noexcept = 0;

  /// Whether the operator has kernels of its own: then a target without a builder refuses, and nothing falls back.
  virtual bool has_kernels() const = 0;
};

}  // namespace opyard
