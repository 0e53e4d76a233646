#include <call/measure.h>
#include <call/run_by.h>
#include <override/routes.h>
#include <pybind11/stl.h>
#include <python/control.h>
#include <python/op_type.h>
#include <run/huge_pages.h>

namespace opyard::python {
namespace py = pybind11;

namespace {

CallInputs to_inputs(const py::handle& call) {
  CallInputs inputs;
  for (const auto item : call) {
    if (item.is_none())
      inputs.emplace_back();
    else if (THPVariable_Check(item.ptr()))
      inputs.push_back(THPVariable_Unpack(item.ptr()));
    else
      throw py::type_error("measure: a call's inputs are tensors or None, got " +
                           std::string(Py_TYPE(item.ptr())->tp_name));
  }
  return inputs;
}

py::tuple measure_calls(py::handle op, const py::list& calls, double budget_s) {
  std::vector<CallInputs> all;
  for (const auto call : calls) all.push_back(to_inputs(call));
  const std::shared_ptr<Instance>& instance = instance_of(op);
  Measurement measurement;
  {
    py::gil_scoped_release released;
    measurement = measure(*instance, all, budget_s);
  }
  py::dict microseconds;
  for (const auto& [key, time] : measurement.microseconds) microseconds[key.c_str()] = time;
  return py::make_tuple(measurement.chosen, microseconds);
}

py::tuple run_by_name(py::handle op, py::handle call, const std::string& implementation) {
  const std::vector<at::Tensor> outputs = run_by(*instance_of(op), to_inputs(call), implementation);
  py::tuple results(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    results[i] = outputs[i].defined() ? py::reinterpret_steal<py::object>(THPVariable_Wrap(outputs[i])) : py::none();
  return results;
}

py::list route_rows() {
  py::list rows;
  for (const RouteReport& route : routes())
    rows.append(py::make_tuple(route.op, route.aten, route.key, route.on, route.served, route.fell_through));
  return rows;
}

RouteScope scope_of(bool thread) { return thread ? RouteScope::kThread : RouteScope::kProcess; }

}  // namespace

void add_control(py::module_& module) {
  module.def("routes", route_rows);
  module.def("use_routes",
             [](const std::vector<std::size_t>& numbers, bool thread) { use_routes(numbers, scope_of(thread)); });
  module.def("leave_routes",
             [](const std::vector<std::size_t>& numbers, bool thread) { leave_routes(numbers, scope_of(thread)); });
  module.def("measure", measure_calls);
  module.def("back_by_huge_pages", [](py::handle tensor) {
    if (!THPVariable_Check(tensor.ptr())) throw py::type_error("back_by_huge_pages: expected a tensor");
    return back_by_huge_pages(THPVariable_Unpack(tensor.ptr()));
  });
  module.def("serving", [](py::handle op, py::handle call) { return serving(*instance_of(op), to_inputs(call)); });
  module.def("run_by", run_by_name);
  module.def("fix_measured", [](py::handle op, py::handle call, const std::string& implementation) {
    fix_measured(*instance_of(op), to_inputs(call), implementation);
  });
}

}  // namespace opyard::python
