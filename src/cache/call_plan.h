// What was decided for a call key: the outputs, the entry, the record. Immutable once published.
#pragma once

#include <cache/call_key.h>
#include <opyard/call_record.h>
#include <opyard/kernel.h>
#include <registry/served_counter.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace opyard {

struct CallPlan {
  bool matches(const CallKey& key) const {
    return hash == key.hash() && words.size() == key.size() &&
           std::memcmp(words.data(), key.words(), key.size() * sizeof(std::uint64_t)) == 0;
  }

  std::uint64_t hash = 0;
  c10::SmallVector<std::uint64_t, 12> words;

  const Kernel* kernel = nullptr;             // null: an empty write, nothing runs
  std::shared_ptr<const Kernel> kernel_hold;  // keeps `kernel` while this plan is reachable
  std::shared_ptr<const void> builder_hold;   // a target's builder, under whose address its kernel is cached
  bool general = false;                       // by the implementation that aten itself stands behind
  bool release_gil = false;                   // the work is expected to outlast the switch
  c10::ArrayRef<TensorFacts> outputs;         // in the record
  std::vector<std::int32_t> written;          // inputs that the call writes
  std::vector<std::pair<std::int32_t, std::int32_t>> aliased;  // outputs that are a written input: output, input
  CallRecordPtr record;
  ServedCounter* served = nullptr;

  // Set by readers, cleared by the eviction hand: the second chance. A call that never came again has none.
  mutable std::atomic<bool> referenced{false};
};

}  // namespace opyard
