// The guard's depth, one for each thread.
#include <opyard/aten_original.h>

namespace opyard {
namespace {

thread_local constinit int depth = 0;

}  // namespace

AtenOriginal::AtenOriginal() { ++depth; }

AtenOriginal::~AtenOriginal() { --depth; }

bool AtenOriginal::active() { return depth != 0; }

}  // namespace opyard
