// Inside this guard aten calls reach torch's own kernels: nothing is routed back to opyard or recorded by autograd.
#pragma once

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/macros/Export.h>

namespace opyard {

/// Held by an implementation while it calls aten. Counts per thread, so guards nest.
class C10_EXPORT AtenOriginal {
 public:
  AtenOriginal();
  ~AtenOriginal();
  AtenOriginal(const AtenOriginal&) = delete;
  AtenOriginal& operator=(const AtenOriginal&) = delete;

  /// Whether this thread is inside a guard: the router then calls the captured original at once.
  static bool active();

 private:
  at::AutoDispatchBelowADInplaceOrView below_autograd_;
};

}  // namespace opyard
