#include <python/call_arguments.h>
#include <python/infer.h>
#include <torch/csrc/DynamicTypes.h>
#include <torch/csrc/utils/pybind.h>

#include <algorithm>

namespace opyard::python {
namespace py = pybind11;

namespace {

std::int64_t at_least_one(std::int64_t number) { return std::max<std::int64_t>(number, 1); }
c10::SymInt at_least_one(const c10::SymInt& number) { return number.max(1); }

/// Outputs are made in row-major order.
template <class Int>
c10::SmallVector<Int, 5> row_major_strides(c10::ArrayRef<Int> sizes) {
  c10::SmallVector<Int, 5> strides(sizes.size(), Int(1));
  for (std::size_t i = sizes.size(); i-- > 1;) strides[i - 1] = at_least_one(sizes[i]) * strides[i];
  return strides;
}

template <class Int>
py::tuple to_tuple(c10::ArrayRef<Int> numbers) {
  py::tuple tuple(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) tuple[i] = py::cast(numbers[i]);
  return tuple;
}

template <class Int>
py::list to_list(const SolvedCall<Int>& call) {
  py::list outputs;
  for (const auto& output : call.outputs) {
    if (!output.present) {
      outputs.append(py::none());
      continue;
    }
    const c10::ArrayRef<Int> sizes(output.sizes);
    const auto dtype =
        py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(torch::getTHPDtype(output.dtype)));
    outputs.append(py::make_tuple(to_tuple(sizes), dtype, to_tuple(c10::ArrayRef<Int>(row_major_strides(sizes)))));
  }
  return outputs;
}

bool has_symbols(const at::Tensor* tensor) {
  return tensor != nullptr && tensor->unsafeGetTensorImpl()->has_symbolic_sizes_strides();
}

py::list infer(py::handle op, const py::tuple& args, const py::dict& kwargs, bool symbolic) {
  const Instance& instance = *instance_of(op);
  const OperatorFacts& facts = *reinterpret_cast<OpObject*>(op.ptr())->facts;
  const CallArguments arguments = read_arguments(facts, args, kwargs);
  const Construction& construction = instance.spec().construction();
  const at::Tensor* const* const inputs = arguments.tensors;
  if (symbolic || std::any_of(inputs, inputs + facts.names.size(), has_symbols))
    return to_list(instance.signature().infer(construction, inputs));
  return to_list(instance.signature().check(construction, inputs));
}

}  // namespace

py::list outputs_of(const SolvedCall<std::int64_t>& call) { return to_list(call); }

void add_infer(py::module_& module) {
  module.def("infer", infer, py::arg("op"), py::arg("args"), py::arg("kwargs") = py::dict(), py::kw_only(),
             py::arg("symbolic") = false);
}

}  // namespace opyard::python
