#include <registry/thread_state.h>

namespace opyard {

constinit thread_local ThreadState thread_state;

}  // namespace opyard
