// The guard's depth, one for each thread, and whether autograd records inside it.
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <opyard/aten_original.h>
#include <registry/recorded_aten.h>
#include <registry/thread_state.h>

namespace opyard {
namespace {

thread_local int recorded = 0;

}  // namespace

AtenOriginal::AtenOriginal() {
  ++thread_state.aten_original_depth;
  if (recorded == 0) return;
  // The guard has excluded autograd by now, and ends by taking what it excluded off again: twice does no harm.
  c10::impl::LocalDispatchKeySet keys = c10::impl::tls_local_dispatch_key_set();
  keys.excluded_ = keys.excluded_ - c10::autograd_dispatch_keyset_with_ADInplaceOrView;
  c10::impl::_force_tls_local_dispatch_key_set(keys);
}

AtenOriginal::~AtenOriginal() { --thread_state.aten_original_depth; }

bool AtenOriginal::active() { return thread_state.aten_original_depth != 0; }

RecordedAten::RecordedAten() { ++recorded; }

RecordedAten::~RecordedAten() { --recorded; }

}  // namespace opyard
