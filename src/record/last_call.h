// The record of an instance's newest completed call, read and replaced by any thread without a lock.
#pragma once

#include <opyard/call_record.h>
#include <registry/epoch.h>

#include <atomic>

namespace opyard {

class LastCall {
 public:
  LastCall() = default;
  ~LastCall() { let_go(record_.load(std::memory_order_relaxed)); }
  LastCall(const LastCall&) = delete;
  LastCall& operator=(const LastCall&) = delete;

  /// Step 7. The caller is inside an EpochScope and holds `record`; equal calls in a row store nothing.
  void set(CallRecord* record) {
    if (record_.load(std::memory_order_acquire) != record) replace(record);
  }

  /// Null before any completed call.
  CallRecordPtr get() const {
    EpochScope scope(this_thread());
    CallRecord* record = record_.load(std::memory_order_acquire);
    return record == nullptr ? CallRecordPtr() : CallRecordPtr::reclaim_copy(record);
  }

 private:
  void replace(CallRecord* record) {
    c10::raw::intrusive_ptr::incref(record);
    CallRecord* before = record_.exchange(record, std::memory_order_acq_rel);
    // A reader may be about to count this one: the count falls only when no such reader is left.
    if (before != nullptr) retire(before, [](void* p) { let_go(static_cast<CallRecord*>(p)); });
  }

  static void let_go(CallRecord* record) {
    if (record != nullptr) c10::raw::intrusive_ptr::decref(record);
  }

  std::atomic<CallRecord*> record_{nullptr};
};

}  // namespace opyard
