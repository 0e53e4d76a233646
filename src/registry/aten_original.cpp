// The guard's depth, one for each thread.
#include <opyard/aten_original.h>
#include <registry/thread_state.h>

namespace opyard {

AtenOriginal::AtenOriginal() { ++thread_state.aten_original_depth; }

AtenOriginal::~AtenOriginal() { --thread_state.aten_original_depth; }

bool AtenOriginal::active() { return thread_state.aten_original_depth != 0; }

}  // namespace opyard
