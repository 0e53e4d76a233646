#include <opyard/aten_original.h>
#include <opyard/value.h>
#include <override/boxed_override.h>
#include <override/point_table.h>
#include <override/raise.h>
#include <pybind11/stl.h>
#include <python/overrides.h>
#include <python/python_server.h>
#include <python/translate_error.h>

#include <memory>

namespace opyard::python {
namespace py = pybind11;

namespace {

// What a capsule of these names holds.
constexpr const char* kConditionCapsule = "opyard.condition";
constexpr const char* kImplementationCapsule = "opyard.implementation";
using ConditionFunction = bool (*)(const c10::IValue* arguments, std::size_t count);
using ImplementationFunction = bool (*)(const c10::IValue* arguments, std::size_t count, torch::jit::Stack* results);

using Size = std::tuple<int, std::int64_t, std::int64_t, std::int64_t>;  // dim, min, max, multiple_of

TensorLimits to_limits(const py::dict& row) {
  TensorLimits limits;
  limits.argument = row["argument"].cast<std::string>();
  for (const auto& dtype : row["dtypes"].cast<std::vector<std::string>>()) {
    limits.dtypes.push_back(dtype_by_name(dtype));
  }
  limits.ranks = row["ranks"].cast<std::vector<int>>();
  for (const auto& [dim, min, max, multiple_of] : row["sizes"].cast<std::vector<Size>>()) {
    limits.sizes.push_back({dim, min, max, multiple_of});
  }
  std::tie(limits.min_elements, limits.max_elements) = row["elements"].cast<std::pair<std::int64_t, std::int64_t>>();
  limits.min_capability = row["capability"].cast<int>();
  limits.strides = row["contiguous"].cast<bool>() ? StrideLimit::kContiguous : StrideLimit::kAny;
  return limits;
}

template <class Function>
Function from_capsule(const py::object& object, const char* name) {
  return PyCapsule_IsValid(object.ptr(), name) != 0
             ? reinterpret_cast<Function>(PyCapsule_GetPointer(object.ptr(), name))
             : nullptr;
}

std::shared_ptr<const BoxedServer> make_server(const OverrideRequest& request, const py::object& condition,
                                               const py::object& implementation) {
  const auto test = from_capsule<ConditionFunction>(condition, kConditionCapsule);
  BoxedFunctions::Predicate predicate;
  if (test != nullptr) {
    predicate = [test](c10::ArrayRef<c10::IValue> arguments) { return test(arguments.data(), arguments.size()); };
  }
  if (const auto serve = from_capsule<ImplementationFunction>(implementation, kImplementationCapsule)) {
    if (test == nullptr && !condition.is_none()) {
      throw py::type_error("override: an implementation in C++ takes a condition in C++, data, an expression or None");
    }
    return std::make_shared<const BoxedFunctions>(
        request.name, predicate,
        [serve](const c10::OperatorHandle&, c10::ArrayRef<c10::IValue> arguments, torch::jit::Stack& results) {
          return serve(arguments.data(), arguments.size(), &results);
        });
  }
  const c10::FunctionSchema& schema =
      point_at(request.op, request.overload, request.key).op().schema();  // lives as long as the process
  auto server = std::make_shared<const PythonServer>(
      request.name, schema, test != nullptr ? py::object(py::none()) : condition, implementation);
  if (test == nullptr) {
    return server;
  }
  return std::make_shared<const BoxedFunctions>(
      request.name, predicate,
      [server](const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments, torch::jit::Stack& results) {
        return server->serve(op, arguments, results) == Outcome::kServed;
      });
}

OverrideHandle add_override(const std::string& op, const std::string& overload, const std::string& key,
                            const std::string& name, const py::list& limits, const std::string& expression,
                            const py::object& condition, const py::object& implementation, bool all_forms) {
  OverrideRequest request{op, overload, key, name, {}, expression, all_forms};
  for (const auto& row : limits) {
    request.condition.tensors.push_back(to_limits(row.cast<py::dict>()));
  }
  return override_boxed(request, make_server(request, condition, implementation));
}

py::list point_reports() {
  py::list rows;
  for (const OverridePoint* point : points()) {
    py::list nodes;
    for (const NodeReport& node : point->nodes()) {
      py::dict row;
      row["id"] = node.id;
      row["name"] = node.name;
      row["condition"] = node.condition;
      row["hits"] = node.counts.hits;
      row["falls"] = node.counts.falls;
      row["last_reason"] = node.last_reason;
      nodes.append(row);
    }
    py::dict row;
    row["operator"] = toString(point->op().operator_name());
    row["key"] = c10::toString(point->key());
    row["installed"] = point->installed();
    row["nodes"] = nodes;
    row["registered"] = point->registered();
    row["originals"] = point->originals();
    rows.append(row);
  }
  return rows;
}

}  // namespace

void add_overrides(py::module_& module) {
  set_error_edge(throw_as_python);
  py::class_<OverrideHandle>(module, "OverrideHandle")
      .def("remove", &OverrideHandle::remove)
      .def("ids", &OverrideHandle::ids)
      .def_property_readonly("active", &OverrideHandle::active)
      .def("counts", [](const OverrideHandle& handle) {
        const OverrideCounts counts = handle.counts();
        return py::make_tuple(counts.hits, counts.falls);
      });
  module.def("override_boxed", add_override);
  module.def("override_points", point_reports);
  module.def("arrange_overrides", [](const std::vector<const OverrideHandle*>& order,
                                     const std::vector<const OverrideHandle*>& off) { arrange(order, off); });
  module.def("uninstall_routers", uninstall_points);
  py::class_<AtenOriginal>(module, "AtenOriginal").def(py::init<>());
}

}  // namespace opyard::python
