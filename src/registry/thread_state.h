// What opyard keeps for each thread and reads on every routed call: together, so that one address is computed.
#pragma once

namespace opyard {

struct ThreadRecord;  // src/override/read_section.h

struct ThreadState {
  int aten_original_depth = 0;     // AtenOriginal guards that live on this thread
  ThreadRecord* record = nullptr;  // taken by the thread's first section
};

// The model spares the call that finds a library's thread storage, which would cost more than all the rest of the
// router. It takes 16 bytes of the loader's small reserve for libraries that are opened late.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local ThreadState thread_state;

}  // namespace opyard
