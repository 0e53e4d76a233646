// Work that is one piece a file or an entry, spread over the processor's cores while somebody waits for the whole.
#pragma once

#include <cstddef>
#include <functional>

namespace opyard {

/// Calls `work(i)` for each i below `count`, in any order, on this thread and on a few that end with the call. Where a
/// piece throws, the others are still done, and what the first of them threw is thrown.
void on_threads(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace opyard
