// What was decided for a call key: the outputs, the entry, the record. Immutable once published.
#pragma once

#include <cache/call_key.h>
#include <opyard/kernel.h>
#include <opyard/call_record.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace opyard {

/// Calls an implementation served, counted over all instances. Lives as long as its registry.
struct ServedCounter {
  std::atomic<std::uint64_t> calls{0};
};

struct CallPlan {
  bool matches(const CallKey& key) const {
    return hash == key.hash() && words.size() == key.size() &&
           std::memcmp(words.data(), key.words(), key.size() * sizeof(std::uint64_t)) == 0;
  }

  std::uint64_t hash = 0;
  std::vector<std::uint64_t> words;

  const Kernel* kernel = nullptr;             // null: an empty write, nothing runs
  std::shared_ptr<const Kernel> kernel_hold;  // keeps `kernel` while this plan is reachable
  std::shared_ptr<const void> builder_hold;   // a target's builder, under whose address its kernel is cached
  bool general = false;                       // by the implementation that aten itself stands behind
  bool release_gil = false;                   // the work is expected to outlast the switch
  std::vector<TensorFacts> outputs;
  std::vector<std::int32_t> written;                           // inputs that the call writes
  std::vector<std::pair<std::int32_t, std::int32_t>> aliased;  // outputs that are a written input: output, input
  CallRecordPtr record;
  ServedCounter* served = nullptr;

  // Set by readers, cleared by the eviction hand: the second chance.
  mutable std::atomic<bool> referenced{true};
};

}  // namespace opyard
