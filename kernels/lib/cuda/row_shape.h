// How the threads of a block share rows, by the rows' width.
#pragma once

#include <lib/cuda/rows.h>

#include <algorithm>

namespace opyard::cuda {

/// Threads a row and rows a block. Held: each thread has `packs` of a row in registers; otherwise the row is read in
/// every pass, by one block.
struct RowShape {
  std::int64_t threads, rows = 1, packs = 0;
  bool packed = false, full = false;
  std::int64_t blocks = 1;  // that share a multiprocessor's registers, at least

  bool held() const { return packs > 0; }

  static RowShape odd() { return {.threads = 512}; }

  static RowShape of(const RowLayout& layout) {
    constexpr std::int64_t kWarp = 32, kMostThreads = 1024, kBlockThreads = 128;
    // Few packs a thread keep more rows in flight, as long as a block is small.
    constexpr std::int64_t kFewPacks = 2, kMostPacks = 4, kShortRow = 256;
    // Of a multiprocessor: half of what it could have, so that each has up to 64 registers.
    constexpr std::int64_t kSharedThreads = 1024;
    if (!layout.packed) return odd();
    const std::int64_t packs = layout.packs <= kShortRow ? kFewPacks : kMostPacks;
    const std::int64_t needed = (layout.packs + packs - 1) / packs;
    std::int64_t threads = kWarp / 2;  // within a warp: a power of two
    if (needed > threads) threads = (needed + kWarp - 1) / kWarp * kWarp;
    if (threads > kMostThreads) return {.threads = kMostThreads, .packed = true};
    const std::int64_t rows = std::max<std::int64_t>(kBlockThreads / threads, 1);
    return {.threads = threads,
            .rows = rows,
            .packs = packs,
            .packed = true,
            .full = threads * packs == layout.packs,
            .blocks = std::max<std::int64_t>(kSharedThreads / (threads * rows), 1)};
  }
};

}  // namespace opyard::cuda
