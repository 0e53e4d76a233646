#include <build/build_event.h>
#include <python/build_events.h>
#include <python/hold.h>

namespace opyard::python {
namespace py = pybind11;

namespace {

// What a listener raises has nobody to go to: it is printed as Python prints such errors.
void call_listener(const py::object& listener, const BuildEvent& event) {
  try {
    listener(event.op, event.implementation, event.key, event.built, event.milliseconds, event.hits, event.misses);
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("opyard's build listener");
  }
}

void set_listener(const py::object& listener) {
  if (listener.is_none()) {
    set_build_listener({});
    return;
  }
  const auto held = hold(listener);
  set_build_listener([held](const BuildEvent& event) {
    if (Py_IsInitialized() == 0) return;
    const py::gil_scoped_acquire gil;
    call_listener(*held, event);
  });
}

}  // namespace

void add_build_events(py::module_& module) { module.def("set_build_listener", set_listener); }

}  // namespace opyard::python
