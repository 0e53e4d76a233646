// A declared candidate for an operator: its limits as data, its refusal, and how its entry is built.
#pragma once

#include <opyard/call_spec.h>
#include <opyard/value.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace opyard {

/// Why an implementation does not serve a call: a sentence naming the limit; nothing means that it serves.
using Refusal = std::optional<std::string>;

/// What `entry_for` gives: equal identities share one kernel, and `build` runs once for each.
struct Entry {
  Value identity;
  std::function<std::shared_ptr<const Kernel>()> build;
};

struct Implementation {
  std::string op;                                                 // operator, as in the manifest
  std::string key;                                                // short visible name, unique in the operator
  std::vector<c10::DeviceType> devices = {c10::DeviceType::CPU};  // where it runs
  std::optional<std::vector<int>> supported_archs;                // none: all
  std::vector<c10::ScalarType> dtypes;                            // of the first present input; empty: all
  bool general = false;                                           // below all others
  std::vector<std::string> preferred_over;                        // keys that it wins over, transitively
  bool opaque_inputs = false;                                     // takes tensors without strides (Mkldnn)
  std::function<Refusal(const CallSpec&)> refusal;                // nothing: no limit beyond those above
  std::function<Entry(const CallSpec&)> entry_for;
  double expected_us = 0;  // the least time a call may take; from 1 us on the GIL is released around it
};

/// A kernel from a callable `void(KernelCall&)`, for implementations without state of their own.
template <class Function>
std::shared_ptr<const Kernel> make_kernel(Function function) {
  struct Call final : Kernel {
    explicit Call(Function f) : function(std::move(f)) {}
    void forward(KernelCall& call) const override { function(call); }
    Function function;
  };
  return std::make_shared<const Call>(std::move(function));
}

}  // namespace opyard
