#include <opyard/error.h>
#include <python/tensor_list.h>
#include <torch/csrc/autograd/python_variable.h>

namespace opyard::python {
namespace py = pybind11;

namespace {

[[noreturn]] void refuse(const Passing& passing, std::string expected, std::string got) {
  throw ContractError(SignatureError::Kind::kType, "a Python kernel's result does not fit the declaration",
                      {.op = passing.who,
                       .argument = "result",
                       .expected = std::move(expected),
                       .got = std::move(got),
                       .advice = "return a tensor for each declared output, None for an absent one"});
}

void take(const Passing& passing, std::size_t i, py::handle item, KernelCall& call) {
  if (item.is_none()) return;
  if (!THPVariable_Check(item.ptr())) refuse(passing, "a torch.Tensor or None", Py_TYPE(item.ptr())->tp_name);
  const at::Tensor& tensor = THPVariable_Unpack(item.ptr());
  if (call.has_output(i) && call.output(i).is_same(tensor)) return;
  call.set_output(i, tensor);
}

}  // namespace

py::object wrap_tensor(const at::Tensor& tensor) { return py::reinterpret_steal<py::object>(THPVariable_Wrap(tensor)); }

void call_with_tensors(py::handle function, const Passing& passing, KernelCall& call) {
  py::list positional;
  py::dict named;
  for (std::size_t i = 0; i < passing.names.size(); ++i) {
    const py::object value = call.has_input(i) ? wrap_tensor(call.input(i)) : py::object(py::none());
    if (passing.names[i].empty())
      positional.append(value);
    else
      named[passing.names[i].c_str()] = value;
  }
  const py::object result = function(*py::tuple(positional), **named);
  if (passing.outputs == 1 && !PyTuple_Check(result.ptr())) {
    take(passing, 0, result, call);
    return;
  }
  if (passing.outputs == 0 && result.is_none()) return;
  if (!PyTuple_Check(result.ptr())) refuse(passing, "a tuple", Py_TYPE(result.ptr())->tp_name);
  const auto items = py::reinterpret_borrow<py::tuple>(result);
  if (items.size() != passing.outputs)
    refuse(passing, std::to_string(passing.outputs) + " outputs", std::to_string(items.size()));
  for (std::size_t i = 0; i < passing.outputs; ++i) take(passing, i, items[i], call);
}

}  // namespace opyard::python
