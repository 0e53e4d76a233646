// How an error of a router leaves it: through torch, whose Python functions would turn it into a bare RuntimeError.
#pragma once

#include <opyard/error.h>

namespace opyard {

/// An override whose implementation calls its own operator without end; in Python a RecursionError.
class EndlessRecursion : public ContractError {
  using ContractError::ContractError;
};

/// Throws the error as what the process's callers understand, or returns.
using ErrorEdge = void (*)(const Error& error);

/// Set once, by the binding.
void set_error_edge(ErrorEdge edge);
ErrorEdge error_edge();

template <class E>
[[noreturn]] void raise(const E& error) {
  if (const ErrorEdge edge = error_edge()) {
    edge(error);
  }
  throw error;
}

}  // namespace opyard
