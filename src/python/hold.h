// Python objects held by C++: let go under the interpreter lock, whatever thread that happens on.
#pragma once

#include <pybind11/pybind11.h>
#include <registry/thread_state.h>

#include <memory>

namespace opyard::python {

using Held = std::shared_ptr<pybind11::object>;

/// The caller has the interpreter lock. At the end of the interpreter the object is left alone.
inline Held hold(pybind11::object object) {
  return {new pybind11::object(std::move(object)), [](pybind11::object* held) {
            if (!Py_IsInitialized() || _Py_IsFinalizing()) {
              held->release();
              delete held;
              return;
            }
            pybind11::gil_scoped_acquire locked;
            delete held;
          }};
}

/// Runs `function` under the interpreter lock, from any thread. Notes whether the exception that leaves it is a user's
/// interrupt, which undo respects.
template <class Function>
auto with_interpreter(Function function) {
  pybind11::gil_scoped_acquire locked;
  this_thread().interrupted = false;
  try {
    return function();
  } catch (pybind11::error_already_set& error) {
    this_thread().interrupted = !error.matches(PyExc_Exception);
    throw;
  }
}

}  // namespace opyard::python
