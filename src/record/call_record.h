// What a finished call leaves: an immutable record that equal calls share.
#pragma once

#include <c10/util/intrusive_ptr.h>
#include <opyard/implementation.h>

#include <string>

namespace opyard {

/// The facts of one completed call. Shared by every call with the same key, so nothing here is a tensor or a time.
struct CallRecord : c10::intrusive_ptr_target {
  std::string op;
  CallSpec spec;               // device, tensors, parameters, solved indices
  std::string implementation;  // key of what ran; empty: an empty write ran nothing
  std::string target;          // who served: "builtin" or a target's name
};

using CallRecordPtr = c10::intrusive_ptr<CallRecord>;

}  // namespace opyard
