// What a finished call leaves: an immutable record that equal calls share.
#pragma once

#include <c10/util/intrusive_ptr.h>
#include <opyard/call_spec.h>

#include <string>

namespace opyard {

struct CallRecord;
using CallRecordPtr = c10::intrusive_ptr<CallRecord>;

/// The calls of sub-operators that a call made, by stage: every declared one, in order of declaration.
using Stages = std::vector<std::pair<std::string, std::vector<CallRecordPtr>>>;

/// The facts of one completed call. Shared by every call with the same key, so nothing here is a tensor or a time.
struct CallRecord : c10::intrusive_ptr_target {
  explicit CallRecord(CallSpec spec) : spec(std::move(spec)) {}

  CallSpec spec;  // operator, device, tensors, parameters, solved indices
  // Both name what lives as long as the registry that they are registered in.
  std::string_view implementation;  // key of what ran; empty: an empty write ran nothing, or a body did
  std::string_view target;          // who served: "builtin" or a target's name; empty: nothing ran
  Stages stages;                    // with calls in them, the record is this one call's own
};

}  // namespace opyard
